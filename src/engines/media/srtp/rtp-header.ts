/** Where the payload of an RTP packet begins, without which nothing of it can be encrypted. */

const fixedBytes = 12;

/** Bytes of the header, with contributing sources and extension; null for what is no RTP packet. */
export function rtpHeaderBytes(packet: Buffer, tagBytes = 0): number | null {
  const end = packet.length - tagBytes;
  const flags = packet[0] ?? 0;
  if (end < fixedBytes || (flags & 0xc0) !== 0x80) return null;
  let bytes = fixedBytes + 4 * (flags & 0x0f);
  if ((flags & 0x10) !== 0) {
    if (end < bytes + 4) return null;
    bytes += 4 + 4 * packet.readUInt16BE(bytes + 2);
  }
  return bytes <= end ? bytes : null;
}
