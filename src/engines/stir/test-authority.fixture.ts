/** An authority of tests that issues certificates of signers, with lists of numbers, and of other authorities. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

type Entry = { spc: string } | { number: string } | { first: string; count: number };

interface CertificateOptions {
  name: string;
  /** Default: the code of one provider, as SHAKEN has it; null for a certificate without a list. */
  numbers?: readonly Entry[] | null;
  from?: string;
  until?: string;
  curve?: 'P-256' | 'P-384';
  /** May issue others; the number is how many authorities may follow. */
  authority?: boolean | number;
}

interface Issued {
  /** Its own certificate alone. */
  readonly pem: string;
  /** Its own and those of the authorities in between. */
  readonly chain: string;
  readonly key: KeyObject;
  readonly keyPem: string;
  issue(options: CertificateOptions): Issued;
}

export const testAuthority = (options: Partial<CertificateOptions> = {}): Issued =>
  issueBy(null, { name: 'Test authority', authority: true, numbers: null, ...options });

interface Issuer {
  name: string;
  key: KeyObject;
  between: string;
}

function issueBy(issuer: Issuer | null, options: CertificateOptions): Issued {
  const { name, curve = 'P-256', numbers = [{ spc: '709J' }], authority = false } = options;
  const { from = '2026-01-01T00:00:00Z', until = '2027-01-01T00:00:00Z' } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const signer = issuer ?? { name, key: privateKey, between: '' };
  const extensions = [
    ...(authority === false ? [] : [extension('551d13', constraints(authority), true)]),
    ...(numbers === null ? [] : [extension('2b0601050507011a', der(0x30, ...numbers.map(entry)))]),
  ];
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsa,
    nameOf(signer.name),
    der(0x30, time(from), time(until)),
    nameOf(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(extensions.length > 0 ? [der(0xa3, der(0x30, ...extensions))] : []),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, signer.key));
  const pem = pemOf(der(0x30, signed, ecdsa, signature));
  const chain = `${pem}${signer.between}`;
  const between = issuer === null ? '' : chain;
  return {
    ...{ pem, chain, key: privateKey, keyPem: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) },
    issue: (below) => issueBy({ name, key: privateKey, between }, below),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const hex = (tag: number, text: string): Buffer => der(tag, Buffer.from(text, 'hex'));
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));

/** ecdsa-with-SHA256 */
const ecdsa = der(0x30, hex(0x06, '2a8648ce3d040302'));

const nameOf = (name: string): Buffer => der(0x30, der(0x31, der(0x30, hex(0x06, '550403'), text(0x0c, name))));

const time = (moment: string): Buffer => text(0x18, moment.replace(/[-:T]/g, ''));

const extension = (oid: string, content: Buffer, isCritical = false): Buffer =>
  der(0x30, hex(0x06, oid), ...(isCritical ? [hex(0x01, 'ff')] : []), der(0x04, content));

const constraints = (authority: true | number): Buffer =>
  der(0x30, hex(0x01, 'ff'), ...(authority === true ? [] : [der(0x02, Buffer.from([authority]))]));

function entry(given: Entry): Buffer {
  if ('spc' in given) return der(0xa0, text(0x16, given.spc));
  if ('number' in given) return der(0xa2, text(0x16, given.number));
  const count = Buffer.alloc(3);
  count.writeUIntBE(given.count, 0, 3);
  return der(0xa1, der(0x30, text(0x16, given.first), der(0x02, count)));
}

const pemOf = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
