/** What a datagram is that came to a port which several protocols share, by its first bytes (RFC 7983, RFC 5761). */

export type PacketKind = 'stun' | 'zrtp' | 'dtls' | 'rtp' | 'rtcp';

/** Null for what is none of them. */
export function packetKind(packet: Buffer): PacketKind | null {
  const [first, second] = packet;
  if (first === undefined || second === undefined) return null;
  if (first <= 3) return 'stun';
  if (first >= 16 && first <= 19) return 'zrtp';
  if (first >= 20 && first <= 63) return 'dtls';
  if (first >= 128 && first <= 191) return (second & 0x7f) >= 64 && (second & 0x7f) <= 95 ? 'rtcp' : 'rtp';
  return null;
}
