/** Keys in a session description: `a=crypto` (RFC 4568). */
import { EncryptionRefused } from './encryption-refused.ts';
import { type MasterKey, type ProfileName, profiles } from './profiles.ts';

export interface CryptoLine {
  readonly tag: number;
  readonly master: MasterKey;
}

/** A party that offers more cannot make us read on and on. */
const mostLines = 32;

const prefix = 'a=crypto:';
const form =
  /^a=crypto:(\d{1,9}) +([A-Z0-9_]{1,40}) +inline:([A-Za-z0-9+/]{20,80}={0,2})((?:\|[^ |;]{1,40})*)((?: .*)?)$/;

export const isCryptoLine = (line: string): boolean => line.startsWith(prefix);

/** Null for a line that is malformed, or asks for what we do not do: the next one may be better. */
export function readCryptoLine(line: string): CryptoLine | null {
  const [, tag = '', suite = '', inline = '', qualifiers = '', parameters = ''] = form.exec(line.trimEnd()) ?? [];
  if (!isProfile(suite) || !qualifiers.split('|').slice(1).every(isLongLifetime)) return null;
  if (!parameters.trim().split(/ +/).every(mayBeIgnored)) return null;
  const { keyBytes, saltBytes } = profiles[suite];
  const bytes = Buffer.from(inline, 'base64');
  if (bytes.length !== keyBytes + saltBytes) return null;
  const master = { profile: suite, key: bytes.subarray(0, keyBytes), salt: bytes.subarray(keyBytes) };
  return { tag: Number(tag), master };
}

/** The first line of an offer that can be used. Throws `EncryptionRefused` if there is none. */
export function readOfferedKey(lines: readonly string[]): CryptoLine {
  const possible = lines.filter(isCryptoLine).slice(0, mostLines);
  const theirs = possible.map(readCryptoLine).find((line) => line !== null);
  if (theirs === undefined) throw new EncryptionRefused('The offer names no key that can be used');
  return theirs;
}

export function formatCryptoLine({ tag, master }: CryptoLine): string {
  return `${prefix}${tag} ${master.profile} inline:${Buffer.concat([master.key, master.salt]).toString('base64')}`;
}

const isProfile = (suite: string): suite is ProfileName => Object.hasOwn(profiles, suite);

/** At fifty packets a second, this many last for six hours. A key that ends sooner is not taken. */
const shortestLifetime = 2 ** 20;

/** The other qualifier, a number that names one of several keys (MKI), is not taken: there is one key. */
function isLongLifetime(qualifier: string): boolean {
  const [, power, packets] = /^(?:2\^(\d{1,2})|(\d{1,15}))$/.exec(qualifier) ?? [];
  return (power === undefined ? Number(packets) : 2 ** Number(power)) >= shortestLifetime;
}

/** Parameters of the session change how packets look, but for those that say so and the size of the sender's window. */
const mayBeIgnored = (parameter: string): boolean => parameter === '' || /^(?:-|WSH=\d+$)/.test(parameter);
