/**
 * Who gets a database connection next. Each account may hold only a share of them, `/v3` leaves some to the others, and
 * work that waits longer than it should is refused instead of piling up.
 */
import { ClientGone, DatabaseBusy } from './unavailable.ts';
import type { RequestWork } from './work.ts';

export interface AdmissionLimits {
  /** Connections in all, of one account, and of all requests to the platform. */
  total: number;
  perAccount: number;
  platform: number;
  /**
   * How long one request waits for connections, all its statements together; and how long anything else waits for one.
   */
  requestWaitMs: number;
  otherWaitMs: number;
}

/** Returns the connection. */
export type Leave = () => void;

interface Waiting {
  work: RequestWork | null;
  admit(leave: Leave): void;
  refuse(error: Error): void;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  /**
   * Jobs first: only a few run at a time, and no flood of requests may keep accepted work, such as codes to be sent,
   * from being done. Then codes, then the platform; within each in order of arrival.
   */
  readonly #queues = { other: new Set<Waiting>(), verification: new Set<Waiting>(), platform: new Set<Waiting>() };
  readonly #byAccount = new Map<string, number>();
  #inUse = 0;
  #platformInUse = 0;

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
    const timer = setTimeout(() => waiting.refuse(busy), patience);
    work?.client.onGone(gone);
    queue.add(waiting);
  }

  #hasRoom(work: RequestWork | null): boolean {
    const { total, perAccount, platform } = this.#limits;
    if (this.#inUse >= total) return false;
    if (work === null) return true;
    if (work.lane === 'platform' && this.#platformInUse >= platform) return false;
    return work.accountId === null || (this.#byAccount.get(work.accountId) ?? 0) < perAccount;
  }

  /** Whether somebody who waits already could be admitted. */
  #someoneIsFirst(queue: ReadonlySet<Waiting>): boolean {
    for (const { work } of queue) if (this.#hasRoom(work)) return true;
    return false;
  }

  #take(work: RequestWork | null): Leave {
    // The account may become known, or be another, by the time the connection comes back.
    const accountId = work?.accountId ?? null;
    const isPlatform = work?.lane === 'platform';
    this.#count(accountId, isPlatform, 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count(accountId, isPlatform, -1);
      this.#admitNext();
    };
  }

  #count(accountId: string | null, isPlatform: boolean, change: 1 | -1): void {
    this.#inUse += change;
    if (isPlatform) this.#platformInUse += change;
    if (accountId === null) return;
    const count = (this.#byAccount.get(accountId) ?? 0) + change;
    if (count > 0) this.#byAccount.set(accountId, count);
    else this.#byAccount.delete(accountId);
  }

  #admitNext(): void {
    for (const queue of [this.#queues.other, this.#queues.verification, this.#queues.platform]) {
      for (const waiting of queue) {
        if (this.#hasRoom(waiting.work)) waiting.admit(this.#take(waiting.work));
        if (this.#inUse >= this.#limits.total) return;
      }
    }
  }
}
