/** Messages of a handshake and their fragments (RFC 6347, 4.2.2). */

export interface HandshakeMessage {
  readonly type: number;
  /** Its place in the handshake. */
  readonly sequence: number;
  readonly body: Buffer;
}

interface Fragment {
  readonly type: number;
  readonly sequence: number;
  /** Of the whole message. */
  readonly length: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

const headerBytes = 12;
/** Chains of certificates are long; whoever sends more is no peer of ours. */
const mostMessageBytes = 16_384;
/** Messages that may come before one that is missing. No flight has more. */
const mostAhead = 8;

/** As it is sent, and as it counts for what both sides sign: in one piece. */
export function wholeMessage({ type, sequence, body }: HandshakeMessage): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUIntBE(body.length, 1, 3);
  header.writeUInt16BE(sequence, 4);
  header.writeUIntBE(body.length, 9, 3);
  return Buffer.concat([header, body]);
}

/** A record may hold several; those before the first that is damaged. */
export function readFragments(record: Buffer): Fragment[] {
  const fragments: Fragment[] = [];
  for (let at = 0; at + headerBytes <= record.length; ) {
    const [length, offset] = [record.readUIntBE(at + 1, 3), record.readUIntBE(at + 6, 3)];
    const start = at + headerBytes;
    const end = start + record.readUIntBE(at + 9, 3);
    if (end > record.length || offset + (end - start) > length || length > mostMessageBytes) break;
    const bytes = record.subarray(start, end);
    fragments.push({ type: record.readUInt8(at), sequence: record.readUInt16BE(at + 4), length, offset, bytes });
    at = end;
  }
  return fragments;
}

interface Partial {
  readonly type: number;
  readonly body: Buffer;
  readonly has: Uint8Array;
  missing: number;
}

/** Puts fragments together and hands messages out in their order. */
export class HandshakeInbox {
  readonly #parts = new Map<number, Partial>();
  #next: number;

  constructor(next = 0) {
    this.#next = next;
  }

  add({ type, sequence, length, offset, bytes }: Fragment): void {
    if (sequence < this.#next || sequence >= this.#next + mostAhead) return;
    const part = this.#parts.get(sequence) ?? newPartial(type, length);
    if (part.type !== type || part.body.length !== length) return;
    this.#parts.set(sequence, part);
    bytes.copy(part.body, offset);
    for (let at = offset; at < offset + bytes.length; at += 1) {
      if (part.has[at] === 0) part.missing -= 1;
      part.has[at] = 1;
    }
  }

  /** The next message, if it is complete. */
  take(): HandshakeMessage | null {
    const sequence = this.#next;
    const part = this.#parts.get(sequence);
    if (part === undefined || part.missing > 0) return null;
    this.#parts.delete(sequence);
    this.#next += 1;
    return { type: part.type, sequence, body: part.body };
  }
}

const newPartial = (type: number, length: number): Partial => ({
  type,
  body: Buffer.alloc(length),
  has: new Uint8Array(length),
  missing: length,
});
