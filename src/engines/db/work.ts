/** On whose behalf database work is done. The pool reads it when a connection is asked for. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '../../base/actor.ts';
import type { Changes } from './made-changes.ts';

/** Codes go first: their lane is served before the platform's whenever connections are short. */
export type Lane = 'verification' | 'platform';

/** Who sends a request, and within which account. */
interface WorkCaller {
  readonly actor: Client;
  /** Null for an operator who does not act as a customer. */
  readonly accountId: string | null;
}

/**
 * Whether the client of a request is still connected. Every request has one, so it is lighter than an `AbortSignal`.
 */
export class ClientPresence {
  readonly #listeners = new Set<() => void>();
  #gone = false;

  get isGone(): boolean {
    return this.#gone;
  }

  /** Calls `listener` when the client disconnects. */
  onGone(listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  leave(): void {
    this.#gone = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** One HTTP request's work. Jobs and commands have none. */
export interface RequestWork {
  readonly lane: Lane;
  readonly client: ClientPresence;
  /** A read: its running statement may be cancelled when the client has disconnected. */
  readonly reads: boolean;
  /** Known once the request is authenticated. */
  accountId: string | null;
  /** Who sent it, for the log of requests. */
  caller?: WorkCaller;
  /** Counts it for the account among the requests in flight; throws `Overloaded` if that has too many. */
  readonly chargeTo?: (accountId: string) => void;
  /** Its caller has proven to be of this account, or an operator (`operators`), so its turns are theirs. */
  readonly proven?: (name: string) => void;
  /** What it has changed so far; only of requests that may change something, once they are handled. */
  changes?: Changes;
  /** How long it has waited for connections so far. */
  waitedMs: number;
  /** The response is sent. What it started and left running no longer counts for the account. */
  ended: boolean;
}

const current = new AsyncLocalStorage<RequestWork>();

/** Runs `action`, and everything it starts, as part of a request. */
export const runAsWork = <T>(work: RequestWork, action: () => T): T => current.run(work, action);

/** Runs `action`, and everything it starts, as part of no request. */
export const outsideRequests = <T>(action: () => T): T => current.exit(action);

/**
 * Runs `action` in the request's lane, but as no part of the request: others, of other accounts too, get its result, so
 * it neither waits for this account's connections nor is cancelled with this client.
 */
export function besideRequest<T>(action: () => T): T {
  const lane = currentWork()?.lane;
  if (lane === undefined) return outsideRequests(action);
  const client = new ClientPresence();
  return runAsWork({ lane, client, accountId: null, reads: false, waitedMs: 0, ended: false }, action);
}

export function currentWork(): RequestWork | null {
  const work = current.getStore();
  return work === undefined || work.ended ? null : work;
}

/** Counts the request for the account from now on: among the requests in flight, and in its share of connections. */
export function chargeWorkTo(accountId: string): void {
  const work = currentWork();
  if (work === null) return;
  work.chargeTo?.(accountId);
  work.accountId = accountId;
}

/** Notes who sends the request, whether or not it is admitted, for the log of requests. */
export function noteWorkCaller(caller: WorkCaller): void {
  const work = currentWork();
  if (work === null) return;
  work.caller = caller;
  work.proven?.(caller.accountId ?? 'operators');
}
