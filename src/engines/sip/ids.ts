/** Tags, branches, Call-IDs and nonces: unguessable in service, repeatable in a simulation. */
import { randomBytes } from 'node:crypto';

export interface IdSource {
  /** At least 72 random bits as a SIP token. */
  next(): string;
}

const idBytes = 9;
/**
 * Drawn for so many ids at once: a draw costs as much as parsing a message, whatever its length, and a call needs a
 * dozen ids.
 */
const idsPerDraw = 256;

class RandomIds implements IdSource {
  #drawn = Buffer.alloc(0);
  #used = 0;

  next(): string {
    if (this.#used === this.#drawn.length) {
      this.#drawn = randomBytes(idBytes * idsPerDraw);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += idBytes;
    return this.#drawn.toString('base64url', start, this.#used);
  }
}

export const machineIds: IdSource = new RandomIds();
