/** XOR-MAPPED-ADDRESS (RFC 8489, 14.2): tells a client where its packet came from. */
import { isIPv6, SocketAddress } from 'node:net';
import type { Endpoint } from '../endpoint.ts';
import { magicCookie } from './stun-message.ts';

const families = { ipv4: 1, ipv6: 2 } as const;

export function xorMappedAddress({ address, port }: Endpoint, transaction: Buffer): Buffer {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const mask = Buffer.alloc(16);
  mask.writeUInt32BE(magicCookie);
  mask.set(transaction, 4);
  const bytes = addressBytes(address, family).map((byte, at) => byte ^ (mask[at] ?? 0));
  const head = Buffer.alloc(4);
  head.writeUInt8(families[family], 1);
  head.writeUInt16BE(port ^ (magicCookie >>> 16), 2);
  return Buffer.concat([head, bytes]);
}

function addressBytes(address: string, family: 'ipv4' | 'ipv6'): Buffer {
  if (family === 'ipv4') return Buffer.from(address.split('.').map(Number));
  // Written by Node, an address has only groups and at most one gap.
  const text = new SocketAddress({ address: address.replace(/%.*$/, ''), family }).address;
  const embedded = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '');
  const hex = (first = '', second = '') => (Number(first) * 256 + Number(second)).toString(16);
  const plain = embedded ? `${embedded[1]}${hex(embedded[2], embedded[3])}:${hex(embedded[4], embedded[5])}` : text;
  const [before = '', after] = plain.split('::');
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')];
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
