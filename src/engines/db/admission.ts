/**
 * Who gets a database connection next. Each account may hold only a share of them, `/v3` leaves some to the others, and
 * what comes free goes to the account that holds the fewest. Work that waits for a database that is stuck is refused
 * instead of piling up; while connections come free it waits for its own, which others only delay.
 */
import { ClientGone, DatabaseBusy } from './unavailable.ts';
import type { Lane, RequestWork } from './work.ts';

export interface AdmissionLimits {
  /** Connections in all, of one account, of all requests to the platform, and of all that is no request. */
  total: number;
  perAccount: number;
  platform: number;
  other: number;
  /**
   * How long one request waits for connections, all its statements together, while none comes free that it could have
   * (otherwise `patientTimes` as long); and how long anything else waits for one.
   */
  requestWaitMs: number;
  otherWaitMs: number;
}

/** Returns the connection. */
export type Leave = () => void;

/** While connections come free, a request waits so many times as long. */
const patientTimes = 5;
/** Requests whose account is not known yet share what an account has. */
const unknown = '';

interface Waiting {
  work: RequestWork | null;
  admit(leave: Leave): void;
  refuse(error: Error): void;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  /**
   * Jobs first: only a few run at a time, and no flood of requests may keep accepted work, such as codes to be sent,
   * from being done. They leave some connections to requests. Then codes, then the platform.
   */
  readonly #queues = { other: new Set<Waiting>(), verification: new Set<Waiting>(), platform: new Set<Waiting>() };
  readonly #byAccount = new Map<string, number>();
  /** When a connection came back: of each account, and the last of all. */
  readonly #freedAt = new Map<string, number>();
  #lastFreedAt = 0;
  #inUse = 0;
  #platformInUse = 0;
  #otherInUse = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return Object.values(this.#queues).reduce((sum, queue) => sum + queue.size, 0);
  }

  async enter(work: RequestWork | null): Promise<Leave> {
    if (work?.client.isGone) throw new ClientGone('the client has gone');
    const queue = this.#queues[work?.lane ?? 'other'];
    if (this.#hasRoom(work) && !this.#someoneIsFirst(queue)) return this.#take(work);
    return new Promise((resolve, reject) => this.#wait(queue, work, resolve, reject));
  }

  /** Refuses everything that waits for a connection. */
  close(): void {
    for (const queue of Object.values(this.#queues)) {
      for (const waiting of [...queue]) waiting.refuse(new DatabaseBusy('the database connections are being closed'));
    }
  }

  #wait(queue: Set<Waiting>, work: RequestWork | null, resolve: (leave: Leave) => void, reject: (e: Error) => void) {
    const { requestWaitMs, otherWaitMs } = this.#limits;
    const since = performance.now();
    const patience = work === null ? otherWaitMs : Math.max(0, requestWaitMs - work.waitedMs);
    const settle = () => {
      clearTimeout(timer);
      queue.delete(waiting);
      work?.client.removeListener(gone);
      if (work !== null) work.waitedMs += performance.now() - since;
    };
    const waiting: Waiting = {
      work,
      admit: (leave) => {
        settle();
        resolve(leave);
      },
      refuse: (error) => {
        settle();
        reject(error);
      },
    };
    const gone = () => waiting.refuse(new ClientGone('the client has gone'));
    // Made now, so that its stack names who waited and not the timer.
    const busy = new DatabaseBusy('no database connection became free in time');
    const lookAgain = () => {
      const left = work === null ? 0 : this.#patienceLeft(work, since);
      if (left <= 0) waiting.refuse(busy);
      else timer = setTimeout(lookAgain, left);
    };
    let timer = setTimeout(lookAgain, patience);
    work?.client.onGone(gone);
    queue.add(waiting);
  }

  /** Its statements before have waited, too. */
  #patienceLeft({ accountId, waitedMs }: RequestWork, since: number): number {
    const { requestWaitMs, perAccount } = this.#limits;
    const now = performance.now();
    const isOwnFault = accountId !== null && this.#held(accountId) >= perAccount;
    const freedAt = (isOwnFault ? this.#freedAt.get(accountId) : this.#lastFreedAt) ?? 0;
    const untilStuck = requestWaitMs - (now - Math.max(freedAt, since - waitedMs));
    return Math.min(untilStuck, patientTimes * requestWaitMs - (now - since) - waitedMs);
  }

  #held(account: string | null): number {
    return this.#byAccount.get(account ?? unknown) ?? 0;
  }

  #hasRoom(work: RequestWork | null): boolean {
    const { total, perAccount, platform, other } = this.#limits;
    if (this.#inUse >= total) return false;
    if (work === null) return this.#otherInUse < other;
    if (work.lane === 'platform' && this.#platformInUse >= platform) return false;
    return work.accountId === null || this.#held(work.accountId) < perAccount;
  }

  /** Whether somebody who waits already could be admitted. */
  #someoneIsFirst(queue: ReadonlySet<Waiting>): boolean {
    for (const { work } of queue) if (this.#hasRoom(work)) return true;
    return false;
  }

  #take(work: RequestWork | null): Leave {
    // The account may become known, or be another, by the time the connection comes back.
    const accountId = work === null ? null : (work.accountId ?? unknown);
    const lane = work?.lane ?? null;
    this.#count(accountId, lane, 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count(accountId, lane, -1);
      this.#lastFreedAt = performance.now();
      if (accountId !== null && this.#byAccount.has(accountId)) this.#freedAt.set(accountId, this.#lastFreedAt);
      this.#admitNext();
    };
  }

  #count(accountId: string | null, lane: Lane | null, change: 1 | -1): void {
    this.#inUse += change;
    if (lane === 'platform') this.#platformInUse += change;
    if (lane === null) this.#otherInUse += change;
    if (accountId === null) return;
    const count = this.#held(accountId) + change;
    if (count > 0) this.#byAccount.set(accountId, count);
    else {
      this.#byAccount.delete(accountId);
      this.#freedAt.delete(accountId);
    }
  }

  #admitNext(): void {
    for (const queue of [this.#queues.other, this.#queues.verification, this.#queues.platform]) {
      for (let next = this.#nextOf(queue); next !== null; next = this.#nextOf(queue)) next.admit(this.#take(next.work));
    }
  }

  /** The account that holds the fewest; of several the one that came first. */
  #nextOf(queue: ReadonlySet<Waiting>): Waiting | null {
    let next: Waiting | null = null;
    let least = Number.POSITIVE_INFINITY;
    if (this.#inUse >= this.#limits.total) return null;
    for (const waiting of queue) {
      const held = waiting.work === null ? 0 : this.#held(waiting.work.accountId);
      if (held >= least || !this.#hasRoom(waiting.work)) continue;
      next = waiting;
      least = held;
      if (held === 0) break;
    }
    return next;
  }
}
