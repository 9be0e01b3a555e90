/**
 * Which packets of one source have been seen: the rollover counter, guessed from 16 bits of sequence (RFC 3711, 3.3.1),
 * and the window against replays (3.3.2).
 */

const windowPackets = 128;
const sequences = 0x1_0000;
const half = 0x8000;

export class SeenPackets {
  /** What came last at each place of the window; an index is at the place of its remainder. */
  readonly #window = new Float64Array(windowPackets).fill(-1);
  #highest = -1;

  /** The index that a sequence number most probably has; below zero if it lies before the first. */
  indexOf(sequence: number): number {
    if (this.#highest < 0) return sequence;
    const last = this.#highest % sequences;
    const rollover = Math.floor(this.#highest / sequences);
    const isBefore = last < half && sequence - last > half;
    const isAfter = last >= half && last - half > sequence;
    return (rollover + (isAfter ? 1 : isBefore ? -1 : 0)) * sequences + sequence;
  }

  get isEmpty(): boolean {
    return this.#highest < 0;
  }

  /** Whether it neither has come nor is too old for it to be known. */
  isNew(index: number): boolean {
    return index >= 0 && index > this.#highest - windowPackets && this.#window[index % windowPackets] !== index;
  }

  add(index: number): void {
    this.#window[index % windowPackets] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}

/** One for each source of a direction. What is refused is not remembered, so only those who have the key add to it. */
export class Sources {
  readonly #sources = new Map<number, SeenPackets>();

  /** What is known of this source; an empty record that is not kept if nothing is. Null if there are too many. */
  find(ssrc: number): SeenPackets | null {
    return this.#sources.get(ssrc) ?? (this.#sources.size < mostSources ? new SeenPackets() : null);
  }

  keep(ssrc: number, seen: SeenPackets): void {
    this.#sources.set(ssrc, seen);
  }
}

/** Each new source in a call costs a record that must not be forgotten: with it, the key would be used twice. */
const mostSources = 256;
