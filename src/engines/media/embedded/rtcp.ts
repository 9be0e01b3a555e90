/**
 * What passing RTCP packets (RFC 3550, 6.4) tell of the round trip between the relay and one party: the party says
 * which sender report it has got, and how long ago.
 */

const senderReport = 200;
const receiverReport = 201;
const headerBytes = 8;
const senderInfoBytes = 20;
const reportBytes = 24;
/** How many reports are remembered: one comes every few seconds. */
const mostReports = 8;

/** Whether the second byte of a packet says RTCP, where both come to one port (RFC 5761). */
export function isRtcpType(secondByte: number): boolean {
  return secondByte >= 192 && secondByte <= 223;
}

export function isRtcp(bytes: Buffer): boolean {
  return bytes.length >= headerBytes && (bytes[0] ?? 0) >> 6 === 2 && isRtcpType(bytes[1] ?? 0);
}

export class RoundTrip {
  /** Middle 32 bits of the time in a report → when it was sent to the party. */
  readonly #sentAt = new Map<number, number>();
  /** Null as long as no report told. */
  ms: number | null = null;

  /** RTCP that goes to the party. */
  sent(bytes: Buffer, nowMs: number): void {
    forEachPacket(bytes, (type, start, end) => {
      if (type !== senderReport || end - start < headerBytes + senderInfoBytes) return;
      this.#sentAt.set(bytes.readUInt32BE(start + 10), nowMs);
      const [oldest] = this.#sentAt.keys();
      if (this.#sentAt.size > mostReports && oldest !== undefined) this.#sentAt.delete(oldest);
    });
  }

  /** RTCP that comes from the party. */
  received(bytes: Buffer, nowMs: number): void {
    forEachPacket(bytes, (type, start, end) => {
      if (type !== senderReport && type !== receiverReport) return;
      const blocks = start + headerBytes + (type === senderReport ? senderInfoBytes : 0);
      for (let at = blocks; at + reportBytes <= end; at += reportBytes) this.#readBlock(bytes, at, nowMs);
    });
  }

  #readBlock(bytes: Buffer, at: number, nowMs: number): void {
    const sentAt = this.#sentAt.get(bytes.readUInt32BE(at + 16));
    if (sentAt === undefined) return;
    const heldMs = (1000 * bytes.readUInt32BE(at + 20)) / 65_536;
    this.ms = Math.max(0, nowMs - sentAt - heldMs);
  }
}

/** The packets of a compound one, as far as their lengths are right. */
function forEachPacket(bytes: Buffer, use: (type: number, start: number, end: number) => void): void {
  for (let start = 0; start + headerBytes <= bytes.length; ) {
    const end = start + 4 * (bytes.readUInt16BE(start + 2) + 1);
    if (end > bytes.length) return;
    use(bytes.readUInt8(start + 1), start, end);
    start = end;
  }
}
