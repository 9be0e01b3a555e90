/** What a report does, by the state it meets and whether its code is right (contract 3.1, with the rulings). */
import type { ErrorCode } from './errors.ts';
import type { State } from './state.ts';

export type ReportStep =
  | { do: 'verify' }
  /** One of three attempts is used; the answer is `code_invalid`, also for the third. */
  | { do: 'count_wrong_code' }
  /** 200 with the record as it is. */
  | { do: 'read_back' }
  | { do: 'refuse'; with: ErrorCode };

/**
 * `dispatched` is whether a provider's answer has been noted. Before that the code may already be on the handset, so a
 * right one counts; a wrong one says nothing yet and costs no attempt.
 */
export function reportStep(state: State, dispatched: boolean, codeIsRight: boolean): ReportStep {
  if (state.status === 'verified') {
    return codeIsRight ? { do: 'read_back' } : { do: 'refuse', with: 'already_verified' };
  }
  if (state.status !== 'pending') return { do: 'read_back' };
  if (codeIsRight) return { do: 'verify' };
  return dispatched ? { do: 'count_wrong_code' } : { do: 'refuse', with: 'not_ready_to_report' };
}
