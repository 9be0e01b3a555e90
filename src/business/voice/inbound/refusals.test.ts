/** Why an inbound call is refused. */
import { expect, test } from 'vitest';
import { type NumberFacts, refuseNumber } from './refusals.ts';

const now = new Date('2026-06-15T12:00:00Z');
const inService: NumberFacts = {
  suspended: false,
  blocked: false,
  terminated: false,
  awaitingRegistration: false,
  expiresAt: new Date('2026-07-15T12:00:00Z'),
  spendable: 1n,
  trunks: [{}],
};

test('a number in service with a destination and money is routed', () => {
  expect(refuseNumber(inService, now)).toBeNull();
  expect(refuseNumber({ ...inService, expiresAt: null }, now)).toBeNull();
});

test.each<[string, Partial<NumberFacts>, number, string]>([
  ['its account is suspended', { suspended: true, expiresAt: now }, 403, 'account_suspended'],
  ['its time has run out this instant', { expiresAt: now }, 403, 'service_expired'],
  [
    'expired numbers are blocked too; the older reason is told',
    { expiresAt: now, blocked: true, terminated: true },
    403,
    'service_expired',
  ],
  ['it waits for a registration', { awaitingRegistration: true, blocked: true }, 403, 'awaiting_registration'],
  ['it was terminated with time left', { terminated: true, blocked: true }, 403, 'number_blocked'],
  ['the operator blocked it', { blocked: true }, 403, 'number_blocked'],
  ['the account has nothing left', { spendable: 0n }, 402, 'insufficient_balance'],
  ['the account is in debt', { spendable: -1n }, 402, 'insufficient_balance'],
  ['it points nowhere', { trunks: [] }, 404, 'not_configured'],
  ['money is asked for before the route', { spendable: 0n, trunks: [] }, 402, 'insufficient_balance'],
])('refused: %s', (_, change, code, reason) => {
  expect(refuseNumber({ ...inService, ...change }, now)).toMatchObject({ code, reason });
});
