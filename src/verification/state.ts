/** What a stored verification is at a given moment: expiry and stale dispatch are read from the clock, never waited for. */
import type { OutcomeCode } from './errors.ts';

/** `expired` is never stored for its own sake: a pending row past its time is expired on every path that reads it. */
export type Status = 'pending' | 'verified' | 'failed' | 'expired' | 'denied';

export interface StoredState {
  status: Status;
  error_code: OutcomeCode | null;
  created_at: Date;
  expires_at: Date;
  /** When a provider took the message; null until then. */
  dispatched_at: Date | null;
}

export interface State {
  status: Status;
  errorCode: OutcomeCode | null;
}

/** How long a dispatch may take before the number counts as unreachable. */
export const STALE_DISPATCH_SECONDS = 120;

export function stateAt(stored: StoredState, now: Date): State {
  if (stored.status !== 'pending') return { status: stored.status, errorCode: stored.error_code };
  // A row that became stale first stays so: final states do not change.
  if (stored.dispatched_at === null && now >= staleAt(stored) && staleAt(stored) < stored.expires_at) {
    return { status: 'failed', errorCode: 'stale_dispatch' };
  }
  if (now >= stored.expires_at) return { status: 'expired', errorCode: 'expired' };
  return { status: 'pending', errorCode: null };
}

export function staleAt(stored: Pick<StoredState, 'created_at'>): Date {
  return new Date(stored.created_at.getTime() + STALE_DISPATCH_SECONDS * 1000);
}
