/** On whose behalf database work is done. The pool reads it when a connection is asked for. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Codes go first: their lane is served before the platform's whenever connections are short. */
export type Lane = 'verification' | 'platform';

/** One HTTP request's work. Jobs and commands have none. */
export interface RequestWork {
  readonly lane: Lane;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Changes nothing: the statement under way may be cancelled when the client has gone. */
  readonly reads: boolean;
  /** Known once the request is authenticated. */
  accountId: string | null;
  /** Counts it for the account among the requests under way; throws when that has too many. */
  readonly chargeTo?: (accountId: string) => void;
  /** How long it has waited for connections so far. */
  waitedMs: number;
  /** Answered. What it has started and left running is no longer on its account. */
  ended: boolean;
}

const current = new AsyncLocalStorage<RequestWork>();

/** Runs `action`, and everything it starts, as part of a request. */
export const runAsWork = <T>(work: RequestWork, action: () => T): T => current.run(work, action);

export function currentWork(): RequestWork | null {
  const work = current.getStore();
  return work === undefined || work.ended ? null : work;
}

/** From here on the request uses the account's share: of the requests under way, and of the connections. */
export function chargeWorkTo(accountId: string): void {
  const work = currentWork();
  if (work === null) return;
  work.chargeTo?.(accountId);
  work.accountId = accountId;
}
