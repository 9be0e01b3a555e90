/**
 * Client addresses: the addresses and networks from which an API key may be used, and the groups in which requests are
 * counted by address.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { OperatorError } from '../../base/operator-error.ts';

/** Normalises addresses for storage. Rejects what PostgreSQL's cidr would reject or interpret differently. */
export function checkAllowedIps(given: readonly string[]): string[] {
  return given.map((entry) => {
    const { address, bits } = parse(entry);
    return `${address}/${bits}`;
  });
}

/** An empty list allows every address. */
export function isAllowed(list: BlockList | null, remote: string): boolean {
  if (list === null) return true;
  const address = plain(remote);
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

export function allowList(stored: readonly string[]): BlockList | null {
  if (stored.length === 0) return null;
  const list = new BlockList();
  for (const entry of stored) {
    const { address, bits } = parse(entry);
    list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}

function parse(entry: string): { address: string; bits: number } {
  const [written = '', mask, ...rest] = entry.trim().split('/');
  const address = plain(written);
  const family = isIP(address);
  const mapped = family === 4 && written.includes(':');
  const most = family === 4 ? 32 : 128;
  const bits = mask === undefined ? most : Number(mask) - (mapped ? 96 : 0);
  const sane = family !== 0 && rest.length === 0 && (mask === undefined || /^\d{1,3}$/.test(mask));
  if (!sane || bits < 0 || bits > most) {
    throw new OperatorError(
      `"${entry}" is not an IP address or network such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.`,
    );
  }
  return { address, bits };
}

/** Removes the zone, and returns an IPv4-mapped address (::ffff:192.0.2.7) as IPv4. */
function plain(address: string): string {
  const withoutZone = address.trim().replace(/%.*$/, '').toLowerCase();
  const dotted = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(withoutZone)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^(?:0*:)*:?ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(withoutZone);
  if (hex?.[1] === undefined || hex[2] === undefined || isIP(withoutZone) !== 6) return withoutZone;
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const words =
    tail === undefined ? front : [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return `${words
    .slice(0, 4)
    .map((word) => Number.parseInt(word, 16).toString(16))
    .join(':')}::/64`;
}
