/**
 * How long a datagram waits in the kernel before this process reads it. Under overload that is where messages queue,
 * and nothing in JavaScript sees it: so the socket now and then sends a datagram to itself and takes the time until it
 * is read. It is sent when something else was read, so a socket without traffic sends nothing.
 */
import { randomBytes } from 'node:crypto';

/** Probes are sent at most this often. */
const everyMs = 100;
/** Nothing was read for this long: what had queued was read before. */
const quietMs = 1_000;
/** A probe that comes back later than this was lost, or this host lets no socket send to itself. */
const lostAfterMs = 5_000;

export class QueueProbe {
  readonly #send: (bytes: Buffer) => void;
  readonly #now: () => number;
  /** No SIP message begins with a zero byte, and nobody else knows the rest. */
  readonly #mark = Buffer.concat([Buffer.alloc(1), randomBytes(15)]);
  /** When the probes were sent that have not come back, the oldest first; their number is in the last bytes. */
  readonly #underWay = new Map<number, number>();
  #count = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #lastWaitMs = 0;
  /** A probe has come back since one was lost: without that, none under way says anything. */
  #isProven = false;

  constructor(send: (bytes: Buffer) => void, now: () => number = () => performance.now()) {
    this.#send = send;
    this.#now = now;
  }

  /** For every datagram that was read. True if it was a probe, and nobody else's business. */
  read(bytes: Buffer): boolean {
    const now = this.#now();
    if (now - this.#readAt > quietMs) this.#forget();
    this.#readAt = now;
    if (bytes[0] === 0 && this.#returned(bytes, now)) return true;
    if (now - this.#sentAt >= everyMs) this.#probe(now);
    return false;
  }

  /** Milliseconds that a datagram waits now, as far as is known. */
  get waitMs(): number {
    const [oldest] = this.#underWay.values();
    return oldest === undefined || !this.#isProven
      ? this.#lastWaitMs
      : Math.max(this.#lastWaitMs, this.#now() - oldest);
  }

  #probe(now: number): void {
    const [oldest] = this.#underWay.values();
    if (oldest !== undefined && now - oldest > lostAfterMs) {
      this.#forget();
      this.#isProven = false;
    }
    this.#sentAt = now;
    this.#count = (this.#count + 1) % 0xffff_ffff;
    this.#underWay.set(this.#count, now);
    const bytes = Buffer.alloc(this.#mark.length + 4);
    this.#mark.copy(bytes);
    bytes.writeUInt32BE(this.#count, this.#mark.length);
    this.#send(bytes);
  }

  #returned(bytes: Buffer, now: number): boolean {
    const { length } = this.#mark;
    if (bytes.length !== length + 4 || bytes.compare(this.#mark, 0, length, 0, length) !== 0) return false;
    const number = bytes.readUInt32BE(length);
    const sentAt = this.#underWay.get(number);
    if (sentAt === undefined) return true;
    this.#lastWaitMs = now - sentAt;
    this.#isProven = true;
    // Datagrams on one socket keep their order: those before it that are still under way were lost.
    for (const each of this.#underWay.keys()) {
      this.#underWay.delete(each);
      if (each === number) break;
    }
    return true;
  }

  #forget(): void {
    this.#underWay.clear();
    this.#lastWaitMs = 0;
  }
}
