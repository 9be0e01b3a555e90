/**
 * Clients that do not read their answers. What they are owed lies in our memory, so it is counted by account: an
 * answer that stands still is cut when it has had its time, or sooner when its account is owed too much.
 */
import type { ServerResponse } from 'node:http';
import type { Turn } from './turns.ts';

export interface ReaderLimits {
  /** Bytes of answers that stand still: for one account, and for all. */
  owedToOne: number;
  owed: number;
  /** An answer stands still if nothing of it was read for so long. */
  stillMs: number;
  /** One that stands still is cut after this, and a second more for each so many bytes. */
  patienceMs: number;
  bytesPerSecond: number;
  lookEveryMs: number;
}

const mebibyte = 1024 * 1024;
const shippedReaderLimits: ReaderLimits = {
  owedToOne: 16 * mebibyte,
  owed: 128 * mebibyte,
  stillMs: 5_000,
  patienceMs: 30_000,
  bytesPerSecond: 16 * 1024,
  lookEveryMs: 1_000,
};

/** An answer that is made or read. */
interface Reading {
  readonly response: ServerResponse;
  readonly turn: Turn;
  owed: number;
  /** What has left on its connection, and when that last became more. */
  read: number;
  since: number;
}

export class Readers {
  readonly #limits: ReaderLimits;
  readonly #onCut: () => void;
  readonly #readings = new Set<Reading>();
  #timer: NodeJS.Timeout | null = null;
  /** Milliseconds in which clients could have been seen to read: a pause of this process is none of theirs. */
  #clock = 0;
  #lookedAt = performance.now();

  constructor(onCut: () => void, limits: Partial<ReaderLimits> = {}) {
    this.#onCut = onCut;
    this.#limits = { ...shippedReaderLimits, ...limits };
  }

  watch(response: ServerResponse, turn: Turn): void {
    const reading: Reading = { response, turn, owed: 0, read: readOf(response), since: this.#clock };
    this.#readings.add(reading);
    response.once('close', () => this.#readings.delete(reading));
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const now = performance.now();
      this.#clock += Math.min(now - this.#lookedAt, 2 * this.#limits.lookEveryMs);
      this.#lookedAt = now;
      this.#look(this.#clock);
      if (this.#readings.size > 0) this.#lookLater();
    }, this.#limits.lookEveryMs).unref();
  }

  #look(now: number): void {
    const still: Reading[] = [];
    for (const reading of this.#readings) {
      const read = readOf(reading.response);
      reading.owed = reading.response.writableLength;
      if (read !== reading.read || reading.owed === 0) Object.assign(reading, { read, since: now });
      else if (this.#isLate(reading, now)) this.#cut(reading);
      else if (now - reading.since >= this.#limits.stillMs) still.push(reading);
    }
    this.#cutDebtors(still);
  }

  #isLate({ owed, since }: Reading, now: number): boolean {
    const { patienceMs, bytesPerSecond } = this.#limits;
    return now - since > patienceMs + (owed / bytesPerSecond) * 1000;
  }

  /** Whose answers hold too much loses those that have stood still the longest; nobody else loses any. */
  #cutDebtors(still: readonly Reading[]): void {
    const debts = [...Map.groupBy(still, ({ turn }) => turn.share.name).values()].map((readings) => ({
      readings: readings.toSorted((a, b) => a.since - b.since),
      owed: sumOf(readings),
    }));
    let all = sumOf(still);
    for (const { readings, owed } of debts.toSorted((a, b) => b.owed - a.owed)) {
      let left = owed;
      for (const reading of readings) {
        if (left <= this.#limits.owedToOne && all <= this.#limits.owed) break;
        left -= reading.owed;
        all -= reading.owed;
        this.#cut(reading);
      }
    }
  }

  #cut({ response }: Reading): void {
    response.destroy();
    this.#onCut();
  }
}

const sumOf = (readings: readonly Reading[]): number => readings.reduce((sum, { owed }) => sum + owed, 0);

/** Bytes that the client's machine, or ours for it, has taken on the connection of this answer. */
const readOf = ({ req: { socket } }: ServerResponse): number => socket.bytesWritten - socket.writableLength;
