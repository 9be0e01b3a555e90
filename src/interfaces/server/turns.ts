/**
 * Whose request is worked on next. Requests of all ports of this process take turns: so many are worked on together,
 * and when more wait, the next one is of the account that has had the least of the server's time. So an account that
 * sends fifty requests at once delays its own forty-nine, and nobody else's.
 *
 * What counts is the time that requests are worked on, in the database too, not their number. One that takes long (a
 * slow client, a stream, an answer that is waited for) leaves its place to others and has been charged for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import QuickLRU from 'quick-lru';

export interface TurnLimits {
  /** Worked on together. More would only make each other slower. */
  together: number;
  /** That wait for their turn: of one account, and of all. */
  waitingOfOne: number;
  waiting: number;
  /** After this a request no longer holds its place. */
  longestMs: number;
}

const shippedTurns: TurnLimits = { together: 24, waitingOfOne: 200, waiting: 2_000, longestMs: 250 };

/** Everybody who is not known: those without a key, with a wrong one, or here for the first time. */
const strangers = 'strangers';
/** So many times a share's time is what strangers are charged, all together. */
const strangersPay = 4;
/** One of them may take so small a part of the room in which they wait. */
const strangersWait = 2;
/** Callers that are remembered, each with the account that it has proven to be of. */
const mostKnown = 20_000;

interface Share {
  readonly name: string;
  /** Milliseconds of work, counted on from the least of those who are active when it becomes so. */
  used: number;
  working: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly caller: string;
  share: Share;
  start(turn: Turn): void;
}

/** A request that is worked on. */
export class Turn {
  readonly caller: string;
  readonly since: number;
  share: Share;
  readonly #turns: Turns;

  constructor(turns: Turns, caller: string, share: Share, since: number) {
    this.since = since;
    this.#turns = turns;
    this.caller = caller;
    this.share = share;
  }

  /** Its caller has proven to be of this account, or an operator. */
  belongsTo(name: string): void {
    this.#turns.know(this, name);
  }

  end(): void {
    this.#turns.end(this);
  }
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #now: () => number;
  readonly #shares = new Map<string, Share>();
  /** The longest first. */
  readonly #working = new Set<Turn>();
  readonly #known = new QuickLRU<string, string>({ maxSize: mostKnown });
  #waiting = 0;
  /** What one request does at its end is no part of it: the next begins as if it had just come. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: Partial<TurnLimits> = {}, now = () => performance.now()) {
    this.#now = now;
    this.#limits = { ...shippedTurns, ...limits };
  }

  get working(): number {
    return this.#working.size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Calls `start` when it is the caller's turn, often at once. Returns null if too many wait already, otherwise what to
   * call when the client has gone before that.
   */
  enter(caller: string, start: (turn: Turn) => void): (() => void) | null {
    const share = this.#shareOf(this.#known.get(caller) ?? strangers);
    if (this.#waiting === 0 && this.#working.size < this.#limits.together) {
      this.#begin(share, caller, start);
      return () => undefined;
    }
    if (this.#isFull(share, caller)) return null;
    const entry: Waiting = { caller, share, start };
    share.waiting.push(entry);
    this.#waiting += 1;
    this.#watch();
    return () => this.#leave(entry);
  }

  /** A few accounts cannot take all the room there is to wait, nor can one stranger take that of all strangers. */
  #isFull({ name, waiting: entries }: Share, caller: string): boolean {
    const { waiting, waitingOfOne } = this.#limits;
    const { length } = entries;
    if (length >= waitingOfOne || (this.#waiting >= waiting && length >= waiting / this.#shares.size)) return true;
    const ofOneStranger = waitingOfOne / strangersWait;
    return name === strangers && length >= ofOneStranger && countOf(entries, caller) >= ofOneStranger;
  }

  know(turn: Turn, name: string): void {
    if (turn.share.name === name) return;
    this.#known.set(turn.caller, name);
    this.#moveWaiting(turn, name);
    if (!this.#working.has(turn)) return;
    const former = turn.share;
    former.working -= 1;
    turn.share = this.#shareOf(name);
    turn.share.working += 1;
    this.#forget(former);
  }

  /** What came before its caller was known waits no longer where it would keep others out. */
  #moveWaiting({ caller, share: former }: Turn, name: string): void {
    const moving = former.waiting.filter((entry) => entry.caller === caller);
    if (moving.length === 0) return;
    const staying = former.waiting.filter((entry) => entry.caller !== caller);
    former.waiting.splice(0, former.waiting.length, ...staying);
    const share = this.#shareOf(name);
    for (const entry of moving) entry.share = share;
    share.waiting.push(...moving);
    this.#forget(former);
  }

  end(turn: Turn): void {
    if (!this.#working.delete(turn)) return;
    const { share } = turn;
    share.working -= 1;
    share.used += (this.#now() - turn.since) * (share.name === strangers ? strangersPay : 1);
    this.#forget(share);
    this.#next();
  }

  #begin(share: Share, caller: string, start: (turn: Turn) => void): void {
    share.working += 1;
    const turn = new Turn(this, caller, share, this.#now());
    this.#working.add(turn);
    start(turn);
  }

  #next(): void {
    while (this.#waiting > 0 && this.#working.size < this.#limits.together) {
      const share = this.#least(({ waiting }) => waiting.length > 0);
      const entry = share?.waiting.shift();
      if (share === null || entry === undefined) return;
      this.#waiting -= 1;
      this.#outside(() => this.#begin(share, entry.caller, entry.start));
    }
  }

  #leave(entry: Waiting): void {
    const { share } = entry;
    const place = share.waiting.indexOf(entry);
    if (place < 0) return;
    share.waiting.splice(place, 1);
    this.#waiting -= 1;
    this.#forget(share);
  }

  /** The share that has used the least; those it works for now count as if they ended in this moment. */
  #least(among: (share: Share) => boolean): Share | null {
    let least: Share | null = null;
    for (const share of this.#shares.values())
      if (among(share) && (least === null || before(share, least))) least = share;
    return least;
  }

  #shareOf(name: string): Share {
    const known = this.#shares.get(name);
    if (known !== undefined) return known;
    // Who was idle has saved nothing up.
    const share = { name, used: this.#least(() => true)?.used ?? 0, working: 0, waiting: [] };
    this.#shares.set(name, share);
    return share;
  }

  #forget(share: Share): void {
    if (share.working === 0 && share.waiting.length === 0) this.#shares.delete(share.name);
  }

  /** While somebody waits, nobody holds a place for long. */
  #watch(): void {
    if (this.#timer !== null) return;
    const { longestMs } = this.#limits;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const now = this.#now();
      for (const turn of this.#working) {
        if (now - turn.since < longestMs) break;
        this.end(turn);
      }
      if (this.#waiting > 0) this.#watch();
    }, longestMs / 5).unref();
  }
}

const countOf = (entries: readonly Waiting[], caller: string): number =>
  entries.reduce((count, entry) => count + (entry.caller === caller ? 1 : 0), 0);

/** Fewer at work first among those that have used as much, so that many that come together take turns at once. */
const before = (one: Share, other: Share): boolean =>
  one.used === other.used ? one.working < other.working : one.used < other.used;
