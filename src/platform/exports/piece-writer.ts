/** Takes bytes and stores them in pieces of one size; only the last is shorter. */
import type { Hash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Environment } from '../../environment.ts';
import { createCollector } from './collect-garbage.ts';

export const PIECE_BYTES = 262_144;

/** A file of so many pieces is a long one: room is made for it once, and it cleans up behind itself. */
const LONG_FILE = 4;

export class PieceWriter extends Writable {
  readonly #env: Environment;
  readonly #exportId: string;
  readonly #hash: Hash;
  readonly #garbage = createCollector();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #pieces = 0;
  size = 0;

  constructor(env: Environment, exportId: string, hash: Hash) {
    super({ highWaterMark: PIECE_BYTES });
    this.#env = env;
    this.#exportId = exportId;
    this.#hash = hash;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.size += chunk.length;
    this.#hash.update(chunk);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#storeWhole().then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#store(Buffer.concat(this.#waiting)).then(() => done(), done);
  }

  async #storeWhole(): Promise<void> {
    while (this.#waitingBytes >= PIECE_BYTES) {
      const bytes = Buffer.concat(this.#waiting);
      this.#waiting = [bytes.subarray(PIECE_BYTES)];
      this.#waitingBytes = bytes.length - PIECE_BYTES;
      await this.#store(bytes.subarray(0, PIECE_BYTES));
    }
  }

  async #store(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await this.#env.pool.query({
      name: 'export_piece',
      text: 'insert into export_pieces (export_id, piece, bytes) values ($1, $2, $3)',
      values: [this.#exportId, this.#pieces, bytes],
    });
    this.#pieces += 1;
    if (this.#pieces === LONG_FILE) this.#garbage.all();
    else if (this.#pieces > LONG_FILE) this.#garbage.young();
  }
}
