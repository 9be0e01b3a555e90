/**
 * A certificate that signs itself. Nobody looks into it: what counts is its fingerprint in the description. It has the
 * least that X.509 wants, in DER.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Can be sent to another thread as it is. */
export interface DtlsIdentity {
  /** In DER. */
  readonly certificate: Uint8Array;
  /** PKCS #8, in DER. */
  readonly privateKey: Uint8Array;
}

const tags = {
  integer: 0x02,
  bits: 0x03,
  objectId: 0x06,
  text: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;
const versionTag = 0xa0;
const commonName = Buffer.from('550403', 'hex');
const ecdsaWithSha256 = Buffer.from('2a8648ce3d040302', 'hex');
const validDays = 365;
const dayMs = 86_400_000;

/** One for each start of the process, with a key of its own. */
export function newDtlsIdentity(now: Date): DtlsIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(tags.sequence, der(tags.objectId, ecdsaWithSha256));
  const name = der(
    tags.sequence,
    der(tags.set, der(tags.sequence, der(tags.objectId, commonName), der(tags.text, Buffer.from('media')))),
  );
  const validity = [-1, validDays].map((days) => time(new Date(now.getTime() + days * dayMs)));
  const content = der(
    tags.sequence,
    der(versionTag, der(tags.integer, Buffer.of(2))),
    // Positive and without leading zeros.
    der(tags.integer, Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    algorithm,
    name,
    der(tags.sequence, ...validity),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(tags.bits, Buffer.of(0), sign('sha256', content, privateKey));
  return {
    certificate: der(tags.sequence, content, algorithm, signature),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...lengthBytes), content]);
}

/** `YYMMDDhhmmssZ`, which X.509 wants until 2049. */
const time = (moment: Date): Buffer =>
  der(tags.utcTime, Buffer.from(`${moment.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));
