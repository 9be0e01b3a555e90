/**
 * Whose request is worked on next. Requests of all ports of this process take turns: so many are worked on together,
 * and when more wait, the next one is of the account that has had the least of the server's time. So an account that
 * sends fifty requests at once delays its own forty-nine, and nobody else's.
 *
 * What counts is the time that requests are worked on, in the database too, not their number. Those worked on together
 * delay each other, so one account has only a part of the places while others are here, and all of them when alone.
 *
 * A request that waits (for a slow client, a lock, a message) leaves its place to others and has been charged for it.
 * It waits while this process is idle: when the processor is what is missing, more requests would only make all slower.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import QuickLRU from 'quick-lru';

export interface TurnLimits {
  /** Worked on together: of all; of one account while others are here; and of strangers then. */
  together: number;
  togetherOfOne: number;
  togetherOfStrangers: number;
  /** That wait for their turn: of one account, and of all. */
  waitingOfOne: number;
  waiting: number;
  /** A request holds its place until this process was idle for so long, or at the longest for so long by the clock. */
  idleMs: number;
  longestMs: number;
}

const shippedTurns: TurnLimits = {
  together: 24,
  togetherOfOne: 4,
  togetherOfStrangers: 2,
  waitingOfOne: 200,
  waiting: 2_000,
  idleMs: 250,
  longestMs: 2_500,
};

/** Everybody who is not known: those without a key, with a wrong one, or here for the first time. */
const strangers = 'strangers';
/** So many times a share's time is what strangers are charged, all together. */
const strangersPay = 4;
/** One of them may take so small a part of the room in which they wait. */
const strangersWait = 2;
/** Who has asked within this is here. */
const hereMs = 1_000;
/** How often it is looked for requests that hold their places too long, while others wait. */
const lookEveryMs = 50;
/** Callers that are remembered, each with the account that it has proven to be of. */
const mostKnown = 20_000;

interface Share {
  readonly name: string;
  /** Milliseconds of work, counted on from the least of those who are active when it becomes so. */
  used: number;
  working: number;
  /** The sum of the moments in which those it works on began. */
  began: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly caller: string;
  share: Share;
  start(turn: Turn): void;
}

/** Milliseconds by the clock, and those in which this process had nothing to do. */
interface Moment {
  readonly now: number;
  readonly idle: number;
}

const thisMoment = (): Moment => ({ now: performance.now(), idle: performance.eventLoopUtilization().idle });

/** A request that is worked on. */
export class Turn {
  readonly caller: string;
  readonly since: number;
  /** How long this process had been idle then, since its start. */
  readonly idle: number;
  share: Share;
  readonly #turns: Turns;

  constructor(turns: Turns, caller: string, share: Share, { now, idle }: Moment) {
    this.since = now;
    this.idle = idle;
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
  readonly #moment: () => Moment;
  readonly #shares = new Map<string, Share>();
  /** The longest first. */
  readonly #working = new Set<Turn>();
  readonly #known = new QuickLRU<string, string>({ maxSize: mostKnown });
  #waiting = 0;
  /** What one request does at its end is no part of it: the next begins as if it had just come. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | null = null;
  /** Who asked last, and until when there are others beside. */
  #last = '';
  #severalUntil = 0;

  constructor(limits: Partial<TurnLimits> = {}, moment = thisMoment) {
    this.#moment = moment;
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
    const moment = this.#moment();
    const share = this.#shareOf(this.#known.get(caller) ?? strangers, moment.now);
    this.#meet(share.name, moment.now);
    // Whoever waits although there is a place has as many as it may have.
    if (this.#working.size < this.#limits.together && this.#mayBegin(share, moment.now)) {
      this.#begin(share, caller, start, moment);
      return () => undefined;
    }
    if (this.#isFull(share, caller)) return null;
    const entry: Waiting = { caller, share, start };
    share.waiting.push(entry);
    this.#waiting += 1;
    this.#watch();
    return () => this.#leave(entry);
  }

  #meet(name: string, now: number): void {
    if (name !== this.#last && this.#last !== '') this.#severalUntil = now + hereMs;
    this.#last = name;
  }

  #mayBegin({ name, working }: Share, now: number): boolean {
    const { togetherOfOne, togetherOfStrangers } = this.#limits;
    return now >= this.#severalUntil || working < (name === strangers ? togetherOfStrangers : togetherOfOne);
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
    count(former, turn, -1);
    turn.share = this.#shareOf(name, turn.since);
    count(turn.share, turn, 1);
    this.#forget(former);
    this.#next();
  }

  /** What came before its caller was known waits no longer where it would keep others out. */
  #moveWaiting({ caller, share: former }: Turn, name: string): void {
    const moving = former.waiting.filter((entry) => entry.caller === caller);
    if (moving.length === 0) return;
    const staying = former.waiting.filter((entry) => entry.caller !== caller);
    former.waiting.splice(0, former.waiting.length, ...staying);
    const share = this.#shareOf(name, this.#moment().now);
    for (const entry of moving) entry.share = share;
    share.waiting.push(...moving);
    this.#forget(former);
  }

  end(turn: Turn): void {
    if (!this.#working.delete(turn)) return;
    const { share } = turn;
    count(share, turn, -1);
    share.used += (this.#moment().now - turn.since) * priceOf(share);
    this.#forget(share);
    this.#next();
  }

  #begin(share: Share, caller: string, start: (turn: Turn) => void, moment: Moment): void {
    const turn = new Turn(this, caller, share, moment);
    count(share, turn, 1);
    this.#working.add(turn);
    start(turn);
  }

  #next(): void {
    while (this.#waiting > 0 && this.#working.size < this.#limits.together) {
      const moment = this.#moment();
      const isNext = (share: Share) => share.waiting.length > 0 && this.#mayBegin(share, moment.now);
      const share = this.#least(moment.now, isNext);
      const entry = share?.waiting.shift();
      if (share === null || entry === undefined) return;
      this.#waiting -= 1;
      this.#outside(() => this.#begin(share, entry.caller, entry.start, moment));
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
  #least(now: number, among: (share: Share) => boolean): Share | null {
    let least: Share | null = null;
    for (const share of this.#shares.values())
      if (among(share) && (least === null || before(share, least, now))) least = share;
    return least;
  }

  #shareOf(name: string, now: number): Share {
    const known = this.#shares.get(name);
    if (known !== undefined) return known;
    // Who was idle has saved nothing up.
    const least = this.#least(now, () => true);
    const share = { name, used: least === null ? 0 : usedUntil(least, now), working: 0, began: 0, waiting: [] };
    this.#shares.set(name, share);
    return share;
  }

  #forget(share: Share): void {
    if (share.working === 0 && share.waiting.length === 0) this.#shares.delete(share.name);
  }

  /** While somebody waits, nobody holds a place for long. */
  #watch(): void {
    if (this.#timer !== null) return;
    const { idleMs, longestMs } = this.#limits;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const { now, idle } = this.#moment();
      for (const turn of this.#working) {
        if (idle - turn.idle < idleMs && now - turn.since < longestMs) break;
        this.end(turn);
      }
      // An account may be alone by now.
      this.#next();
      if (this.#waiting > 0) this.#watch();
    }, lookEveryMs).unref();
  }
}

const countOf = (entries: readonly Waiting[], caller: string): number =>
  entries.reduce((count, entry) => count + (entry.caller === caller ? 1 : 0), 0);

function count(share: Share, { since }: Turn, change: 1 | -1): void {
  share.working += change;
  share.began += change * since;
}

const priceOf = ({ name }: Share): number => (name === strangers ? strangersPay : 1);

const usedUntil = (share: Share, now: number): number =>
  share.used + (share.working * now - share.began) * priceOf(share);

/** Fewer at work first among those that have used as much, so that many that come together take turns at once. */
function before(one: Share, other: Share, now: number): boolean {
  const [mine, theirs] = [usedUntil(one, now), usedUntil(other, now)];
  return mine === theirs ? one.working < other.working : mine < theirs;
}
