/** IP addresses and networks as the database reads them. */
import { isIP } from 'node:net';

/** `192.0.2.1` is `192.0.2.1/32`. Null for what is no address, has a zone, or has bits set beyond its length. */
export function networkOf(text: string): string | null {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return null;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const bits = length === undefined ? most : Number(length);
  if (bits > most) return null;
  const value = family === 4 ? numberOf(address.split('.'), 10, 8n) : numberOf(wordsOf(address), 16, 16n);
  const beyond = (1n << BigInt(most - bits)) - 1n;
  return (value & beyond) === 0n ? `${canonical(address, family)}/${bits}` : null;
}

const numberOf = (parts: readonly string[], base: number, size: bigint): bigint =>
  parts.reduce((value, part) => (value << size) | BigInt(Number.parseInt(part, base)), 0n);

/** Lower case, shortest form, no dots: what URLs write. */
const canonical = (address: string, family: number): string =>
  family === 4 ? address : new URL(`http://[${address}]/`).hostname.slice(1, -1);

function wordsOf(address: string): string[] {
  const [head = '', tail] = canonical(address, 6).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
}
