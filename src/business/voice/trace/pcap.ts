/**
 * Writes the messages of a trace as a packet capture (pcap) that Wireshark, tshark and sngrep open. Each message is one
 * UDP datagram over IP, also one that went by TCP or TLS: without that, connections would have to be invented.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { MessageEntry, TraceEntry } from './entries.ts';

/** Packets begin with their IP header. */
const linkTypeRaw = 101;
const snapLength = 262_144;

export function pcapOf(entries: readonly TraceEntry[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(snapLength, 16);
  header.writeUInt32LE(linkTypeRaw, 20);
  return Buffer.concat([header, ...entries.flatMap((entry) => (entry.kind === 'message' ? record(entry) : []))]);
}

function record(entry: MessageEntry): Buffer[] {
  const packet = packetOf(entry);
  const header = Buffer.alloc(16);
  const milliseconds = new Date(entry.at).getTime();
  const microseconds = Number(/\.\d{3}(\d{3})/.exec(entry.at)?.[1] ?? 0);
  header.writeUInt32LE(Math.floor(milliseconds / 1000), 0);
  header.writeUInt32LE((milliseconds % 1000) * 1000 + microseconds, 4);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return [header, packet];
}

function packetOf({ way, peer, local, text }: MessageEntry): Buffer {
  const [from, to] = way === 'in' ? [endpoint(peer), endpoint(local)] : [endpoint(local), endpoint(peer)];
  const payload = Buffer.from(text);
  const isIpv6 = isIPv6(from.address) || isIPv6(to.address);
  const addresses = Buffer.concat([from, to].map(({ address }) => (isIpv6 ? ipv6Bytes(address) : ipv4Bytes(address))));
  const udp = Buffer.alloc(8);
  udp.writeUInt16BE(from.port, 0);
  udp.writeUInt16BE(to.port, 2);
  udp.writeUInt16BE(8 + payload.length, 4);
  udp.writeUInt16BE(udpChecksum(addresses, Buffer.concat([udp, payload])), 6);
  return Buffer.concat([
    isIpv6 ? ipv6Header(addresses, 8 + payload.length) : ipv4Header(addresses, 8 + payload.length),
    udp,
    payload,
  ]);
}

const udpProtocol = 17;

function ipv4Header(addresses: Buffer, length: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(20 + length, 2);
  header.writeUInt8(64, 8);
  header.writeUInt8(udpProtocol, 9);
  const whole = Buffer.concat([header, addresses]);
  whole.writeUInt16BE(checksum(whole), 10);
  return whole;
}

function ipv6Header(addresses: Buffer, length: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(0x60, 0);
  header.writeUInt16BE(length, 4);
  header.writeUInt8(udpProtocol, 6);
  header.writeUInt8(64, 7);
  return Buffer.concat([header, addresses]);
}

function udpChecksum(addresses: Buffer, datagram: Buffer): number {
  const pseudo = Buffer.alloc(4);
  pseudo.writeUInt8(udpProtocol, 1);
  pseudo.writeUInt16BE(datagram.length, 2);
  return checksum(Buffer.concat([addresses, pseudo, datagram])) || 0xffff;
}

/** The sum of the internet protocols (RFC 1071). */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

/**
 * A name, or nothing, instead of this server's address: no packet has a name, so the unspecified address stands for it.
 */
function endpoint(text: string): { address: string; port: number } {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(text) ?? [];
  return { address: isIPv4(host) || isIPv6(host) ? host : '0.0.0.0', port: Number(port) || 5060 };
}

const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

function ipv6Bytes(address: string): Buffer {
  if (isIPv4(address))
    return address === '0.0.0.0'
      ? Buffer.alloc(16)
      : Buffer.concat([Buffer.from('00000000000000000000ffff', 'hex'), ipv4Bytes(address)]);
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const words = [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex');
}
