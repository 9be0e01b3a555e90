/**
 * HMAC-SHA1 of a packet and four bytes after it (RFC 3711, 4.2). Written with two plain hashes, for which Node has a
 * call that makes no object: a sixth of the time of `createHmac`.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { mostPacketBytes } from './transform.ts';

const blockBytes = 64;
const digestBytes = 20;
/** Used within one call only. */
const inner = Buffer.alloc(blockBytes + mostPacketBytes + 4);
const outer = Buffer.alloc(blockBytes + digestBytes);

export class PacketTag {
  readonly #innerKey: Buffer;
  readonly #outerKey: Buffer;

  /** The key is not longer than a block of the hash. */
  constructor(key: Buffer) {
    const padded = Buffer.concat([key, Buffer.alloc(blockBytes - key.length)]);
    this.#innerKey = padded.map((byte) => byte ^ 0x36) as Buffer;
    this.#outerKey = padded.map((byte) => byte ^ 0x5c) as Buffer;
  }

  of(packet: Buffer, end: number, word: number): Buffer {
    inner.set(this.#innerKey);
    packet.copy(inner, blockBytes, 0, end);
    inner.writeUInt32BE(word, blockBytes + end);
    outer.set(this.#outerKey);
    outer.set(hash('sha1', inner.subarray(0, blockBytes + end + 4), 'buffer'), blockBytes);
    return hash('sha1', outer, 'buffer');
  }

  matches(packet: Buffer, end: number, word: number, tag: Buffer): boolean {
    return timingSafeEqual(this.of(packet, end, word).subarray(0, tag.length), tag);
  }
}
