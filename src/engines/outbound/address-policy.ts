/**
 * Decides which addresses outgoing HTTP may reach: callback URLs come from customers and must not reach the operator's
 * own network.
 */
import { BlockList, isIP } from 'node:net';

export interface AddressPolicy {
  allows(address: string): boolean;
}

interface AddressPolicySettings {
  /** True allows every address: for a sandbox on a laptop, where the receiver is on loopback. */
  allowEverything: boolean;
  /** Non-public ranges that the operator allows, such as `10.1.0.0/16` or a single address. */
  allowedRanges: readonly string[];
}

export function addressPolicy({ allowEverything, allowedRanges }: AddressPolicySettings): AddressPolicy {
  if (allowEverything) return { allows: (address) => isIP(address) !== 0 };
  const allowed = rangeList(allowedRanges);
  return { allows: (address) => isIP(address) !== 0 && (contains(allowed, address) || isPublic(address)) };
}

/** Throws on an invalid range, so that a typing error stops the start instead of allowing or blocking addresses. */
export function rangeList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits, ...rest] = range.split('/');
    const family = isIP(network);
    const prefix = bits === undefined ? (family === 6 ? 128 : 32) : Number(bits);
    const widest = family === 6 ? 128 : 32;
    if (family === 0 || rest.length > 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > widest || bits === '') {
      throw new Error(`"${range}" is not an address range`);
    }
    list.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Loopback, private, link-local, shared, documentation and multicast addresses of IPv4. */
const notPublicIpv4 = rangeList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/**
 * Only assigned unicast addresses are public. Everything else includes loopback, private and link-local addresses and
 * most formats that embed an IPv4 address (`::a.b.c.d`, `::ffff:0:a.b.c.d`, `64:ff9b::a.b.c.d`).
 */
const ipv6Unicast = rangeList(['2000::/3']);

/** Exceptions: Teredo and other special purposes, documentation (two ranges), 6to4. */
const notPublicIpv6 = rangeList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function isPublic(address: string): boolean {
  const plain = withoutZone(address);
  const ipv4 = isIP(plain) === 4 ? plain : mappedIpv4(plain);
  if (ipv4 !== null) return !notPublicIpv4.check(ipv4, 'ipv4');
  return ipv6Unicast.check(plain, 'ipv6') && !notPublicIpv6.check(plain, 'ipv6') && !isIsatap(plain);
}

const withoutZone = (address: string) => address.split('%')[0] ?? address;

function contains(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  const mapped = mappedIpv4(plain);
  if (mapped !== null) return list.check(mapped, 'ipv4');
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the IPv4 address in `::ffff:…`, in any notation. */
function mappedIpv4(address: string): string | null {
  if (isIP(address) !== 6) return null;
  const words = wordsOf(address);
  if (words[5] !== 0xffff || words.slice(0, 5).some((word) => word !== 0)) return null;
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** ISATAP embeds an IPv4 address after any prefix: `…:0:5efe:a.b.c.d`, or `…:200:5efe:a.b.c.d`. */
function isIsatap(address: string): boolean {
  const words = wordsOf(address);
  return words[5] === 0x5efe && (words[4] === 0 || words[4] === 0x200);
}

/** The eight 16-bit words of an IPv6 address. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [head, tail] = [read(left), read(right ?? '')];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
