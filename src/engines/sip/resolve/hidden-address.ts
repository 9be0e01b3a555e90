/** Addresses that a peer gives and that only its own network can reach: what NAT leaves in Contact and Via. */
import { BlockList, isIP } from 'node:net';
import { familyOf } from '../transport/wire.ts';

/** Private, shared and link-local networks, loopback, and the address of nobody. */
const closedNetworks = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '127.0.0.0/8', '0.0.0.0/8'],
  ...['fc00::/7', 'fe80::/10', '::1/128', '::/128'],
].map((network) => {
  const [address = '', bits] = network.split('/');
  const list = new BlockList();
  list.addSubnet(address, Number(bits), familyOf(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
});

const networkOf = (address: string): BlockList | undefined =>
  closedNetworks.find((list) => list.check(address, familyOf(address) === 6 ? 'ipv6' : 'ipv4'));

/**
 * Whether an address lies in a closed network that the peer's packets do not come from. Two machines of one private
 * network may well name each other.
 */
export function isHidden(address: string, seenFrom: string): boolean {
  if (isIP(address) === 0 || address === seenFrom) return false;
  const network = networkOf(address);
  return network !== undefined && network !== networkOf(seenFrom);
}
