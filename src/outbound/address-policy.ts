/** Which addresses outgoing HTTP may reach: callback URLs are tenant input and must not open the operator's own network. */
import { BlockList, isIP } from 'node:net';

export interface AddressPolicy {
  allows(address: string): boolean;
}

export interface AddressPolicySettings {
  /** True lets every address pass: the sandbox on a laptop, where the receiver is a neighbour on loopback. */
  allowEverything: boolean;
  /** Ranges the operator allows although they are not public, as `10.1.0.0/16` or a single address. */
  allowedRanges: readonly string[];
}

export function addressPolicy({ allowEverything, allowedRanges }: AddressPolicySettings): AddressPolicy {
  if (allowEverything) return { allows: (address) => isIP(address) !== 0 };
  const allowed = rangeList(allowedRanges);
  return { allows: (address) => isIP(address) !== 0 && (contains(allowed, address) || !contains(notPublic, address)) };
}

/** Throws on a range that cannot be read, so that a typing error stops the start instead of opening or closing a door. */
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

/** Loopback, private, link-local, shared, documentation, multicast, and IPv6 forms that carry an IPv4 address inside. */
const notPublic = rangeList([
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
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

function contains(list: BlockList, address: string): boolean {
  const plain = address.split('%')[0] ?? address;
  const mapped = mappedIpv4(plain);
  if (mapped !== null) return list.check(mapped, 'ipv4');
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** The IPv4 address inside `::ffff:…`, in whichever way it is written. */
function mappedIpv4(address: string): string | null {
  if (isIP(address) !== 6) return null;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const words = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!words) return null;
  const [high, low] = [Number.parseInt(words[1] ?? '', 16), Number.parseInt(words[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
