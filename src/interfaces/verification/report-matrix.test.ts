/** Every state of a verification against every report. */
import { describe, expect, it } from 'vitest';
import type { OutcomeCode } from './errors.ts';
import { reportStep } from './report-verification.ts';
import { type Status, type StoredState, stateAt } from './verification.ts';

const refuse = (code: string) => ({ do: 'refuse', with: code });
const readBack = { do: 'read_back' };

describe('the report matrix', () => {
  it.each([
    ['pending', null, true, { do: 'verify' }, { do: 'count_wrong_code' }],
    ['pending', null, false, { do: 'verify' }, refuse('not_ready_to_report')],
    ['verified', null, true, readBack, refuse('already_verified')],
    ['failed', 'too_many_attempts', true, readBack, readBack],
    ['failed', 'dispatch_failed', false, readBack, readBack],
    ['failed', 'stale_dispatch', false, readBack, readBack],
    ['failed', 'superseded', true, readBack, readBack],
    ['failed', 'application_deleted', true, readBack, readBack],
    ['expired', 'expired', true, readBack, readBack],
    ['expired', 'expired', false, readBack, readBack],
    ['denied', 'denied_by_callback', false, readBack, readBack],
  ] as const)('%s %s, dispatched %s', (status, errorCode, dispatched, right, wrong) => {
    expect(reportStep({ status, errorCode }, dispatched, true)).toEqual(right);
    expect(reportStep({ status, errorCode }, dispatched, false)).toEqual(wrong);
  });
});

describe('the state of a row at a moment', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
  const row = (status: Status, error_code: OutcomeCode | null, dispatched: boolean, timeout = 300): StoredState => ({
    status,
    error_code,
    created_at: at(0),
    expires_at: at(timeout),
    dispatched_at: dispatched ? at(1) : null,
  });
  const pending = { status: 'pending', errorCode: null };
  const expired = { status: 'expired', errorCode: 'expired' };
  const stale = { status: 'failed', errorCode: 'stale_dispatch' };

  it.each([
    ['dispatched, before its time', row('pending', null, true), 299.999, pending],
    ['dispatched, at its time', row('pending', null, true), 300, expired],
    ['not dispatched, fresh', row('pending', null, false), 119.999, pending],
    ['not dispatched for two minutes', row('pending', null, false), 120, stale],
    ['stale, later past its time', row('pending', null, false), 1000, stale],
    ['not dispatched, short timeout', row('pending', null, false, 60), 60, expired],
    ['not dispatched, timeout of two minutes', row('pending', null, false, 120), 121, expired],
    ['verified, long ago', row('verified', null, true), 9999, { status: 'verified', errorCode: null }],
    ['denied', row('denied', 'denied_by_callback', false), 9999, { status: 'denied', errorCode: 'denied_by_callback' }],
  ])('%s', (_name, stored, seconds, state) => {
    expect(stateAt(stored, at(seconds))).toEqual(state);
  });
});
