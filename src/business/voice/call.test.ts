/** The states of a call and the transitions between them. */
import { describe, expect, test } from 'vitest';
import { answered, attemptEnded, durationOf, ended, IllegalTransition, ringing, routed } from './call.ts';
import type { InboundAttempt, InboundCall } from './inbound/call.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 15, 12, 0, seconds));

const arrived: InboundCall = {
  id: '10-00000001-0000000000000001-00000001',
  direction: 'in',
  accountId: 'a',
  source: null,
  carrier: null,
  didId: 'd',
  didNumber: '442012345678',
  country: 'GB',
  srcNumber: '15550001',
  srcName: null,
  callerCallId: null,
  userAgent: null,
  timeStart: at(0),
  channel: 'included',
  sharedCapacityGroupId: null,
  capacityGroupName: null,
  trunkGroupId: null,
  trunkGroupName: null,
  meteredRate: null,
  tollFreeRate: null,
  vatRate: '0',
  state: 'arrived',
  timeConnect: null,
  timeEnd: null,
  attempts: [],
  disconnect: null,
};
const attempt = (trunkId: string, startedAt: Date): InboundAttempt => ({
  trunkId,
  trunkName: trunkId,
  destination: 'sip:x@y',
  callerId: '15550001',
  callId: trunkId,
  transportProtocolId: 1,
  popId: null,
  forwardingRate: null,
  nameLookupRate: null,
  ringingTimeoutSeconds: 30,
  reroutingIds: null,
  startedAt,
  endedAt: null,
  disconnect: null,
});
const busy = { code: 486, reason: 'Busy Here', initiator: 'destination' } as const;
const bye = { code: 200, reason: 'Bye', initiator: 'origination' } as const;

describe('a call', () => {
  test('rings, is answered and ends', () => {
    const active = answered(ringing(routed(arrived, attempt('a', at(0)))), at(3));
    const endedCall = ended(active, bye, at(33));
    expect(endedCall).toMatchObject({ state: 'ended', timeConnect: at(3), timeEnd: at(33), disconnect: bye });
    expect(endedCall.attempts).toMatchObject([{ trunkId: 'a', disconnect: bye, endedAt: at(33) }]);
    expect(durationOf(endedCall)).toBe(30);
  });

  test('is passed on and keeps how each attempt ended', () => {
    const first = attemptEnded(ringing(routed(arrived, attempt('a', at(0)))), busy, at(2));
    const endedCall = ended(answered(routed(first, attempt('b', at(2))), at(4)), bye, at(5));
    expect(endedCall.attempts).toMatchObject([
      { trunkId: 'a', disconnect: busy, endedAt: at(2) },
      { trunkId: 'b', disconnect: bye, endedAt: at(5) },
    ]);
  });

  test('that was never answered lasted no time', () => {
    expect(durationOf(ended(ringing(routed(arrived, attempt('a', at(0)))), busy, at(9)))).toBe(0);
  });

  test('counts a begun second, and never ends before it was answered', () => {
    const active = answered(routed(arrived, attempt('a', at(0))), at(3));
    expect(durationOf(ended(active, bye, new Date(at(3).getTime() + 1)))).toBe(1);
    expect(ended(active, bye, at(1)).timeEnd).toEqual(at(3));
  });

  test.each<[string, () => InboundCall]>([
    ['answered before it was routed', () => answered(arrived, at(1))],
    ['ringing before it was routed', () => ringing(arrived)],
    ['answered twice', () => answered(answered(routed(arrived, attempt('a', at(0))), at(1)), at(2))],
    [
      'passed on after the answer',
      () => routed(answered(routed(arrived, attempt('a', at(0))), at(1)), attempt('b', at(2))),
    ],
    ['failed after the answer', () => attemptEnded(answered(routed(arrived, attempt('a', at(0))), at(1)), busy, at(2))],
    ['ended twice', () => ended(ended(arrived, busy, at(1)), busy, at(2))],
  ])('cannot be %s', (_, act) => {
    expect(act).toThrow(IllegalTransition);
  });
});
