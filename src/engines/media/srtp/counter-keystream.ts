/**
 * AES in counter mode, from the cipher of single blocks: Node makes a new cipher for every counter, which costs ten
 * times what a packet of speech does here.
 */
import { type Cipheriv, createCipheriv } from 'node:crypto';
import { mostPacketBytes } from './transform.ts';

const blockBytes = 16;
/** Used within one call only. */
const counters = Buffer.alloc(mostPacketBytes + blockBytes);

export class CounterKeystream {
  readonly #cipher: Cipheriv;
  readonly #salt: readonly [number, number, number, number];

  constructor(key: Buffer, salt: Buffer) {
    this.#cipher = createCipheriv(`aes-${key.length === 32 ? 256 : 128}-ecb`, key, null).setAutoPadding(false);
    const padded = Buffer.concat([salt, Buffer.alloc(blockBytes - salt.length)]);
    this.#salt = [padded.readUInt32BE(0), padded.readUInt32BE(4), padded.readUInt32BE(8), padded.readUInt32BE(12)];
  }

  /** Encrypts, or decrypts, in place. The index has 48 bits. */
  apply(bytes: Buffer, start: number, end: number, ssrc: number, index: number): void {
    const blocks = Math.ceil((end - start) / blockBytes);
    if (blocks === 0) return;
    const [first, second, third, fourth] = this.#salt;
    const middle = (third ^ Math.floor(index / 0x1_0000)) >>> 0;
    const last = (fourth ^ ((index % 0x1_0000) << 16)) >>> 0;
    for (let block = 0; block < blocks; block += 1) {
      const at = block * blockBytes;
      counters.writeUInt32BE(first, at);
      counters.writeUInt32BE((second ^ ssrc) >>> 0, at + 4);
      counters.writeUInt32BE(middle, at + 8);
      counters.writeUInt32BE(last + block, at + 12);
    }
    const stream = this.#cipher.update(counters.subarray(0, blocks * blockBytes));
    for (let at = start; at < end; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (stream[at - start] ?? 0);
  }
}
