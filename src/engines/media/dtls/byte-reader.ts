/** Reads numbers and vectors of a handshake message, none of which may go beyond its end. */
import { DtlsFailure } from './alert.ts';

export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DtlsFailure('decodeError', 'A handshake message ends too soon');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(bytes: 1 | 2 | 3): number {
    return this.take(bytes).readUIntBE(0, bytes);
  }

  /** Bytes that follow their length. */
  vector(lengthBytes: 1 | 2 | 3): Buffer {
    return this.take(this.number(lengthBytes));
  }

  /** A vector of numbers with two bytes each. */
  numbers(lengthBytes: 1 | 2): number[] {
    const bytes = this.vector(lengthBytes);
    if (bytes.length % 2 !== 0) throw new DtlsFailure('decodeError', 'A list in a handshake message has half an entry');
    return Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16BE(2 * at));
  }

  end(): void {
    if (!this.isAtEnd) throw new DtlsFailure('decodeError', 'A handshake message goes on after its end');
  }
}
