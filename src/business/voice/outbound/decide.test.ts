/** Whether an outbound call may be made, and for whom. */
import { describe, expect, test } from 'vitest';
import { decide, identify, type OutboundFacts, type OutboundRequest, type OutboundTrunk } from './decide.ts';

const trunk = (name: string, columns: Partial<OutboundTrunk>): OutboundTrunk => ({
  ...{ id: name, accountId: 'a', name, status: 'active', authentication: 'ip_only' },
  ...{ techPrefix: '', username: null, password: null },
  ...columns,
});
const credentials = trunk('credentials', {
  ...{ authentication: 'credentials_and_ip', techPrefix: '77#', username: 'u', password: 'p' },
});
const open = trunk('open', {});
const prefixed = trunk('prefixed', { techPrefix: '55' });
const twilio = trunk('twilio', { authentication: 'twilio' });

const request: OutboundRequest = {
  sourceIp: '203.0.113.9',
  digest: null,
  twilioAccountSid: null,
  from: '4420',
  to: '4930',
};
const digest = (username: string, password: string) => ({
  digest: { username, isMadeWith: (known: string) => known === password },
});

describe('who calls', () => {
  test.each<[string, Partial<OutboundRequest>, OutboundTrunk[], string]>([
    ['right credentials from a listed address', digest('u', 'p'), [open, credentials], 'credentials'],
    ['no credentials yet', {}, [credentials], 'challenge'],
    ['wrong password', digest('u', 'x'), [credentials], 'not_authorized'],
    ['another user', digest('x', 'p'), [credentials], 'not_authorized'],
    ['a trunk without a password', digest('u', ''), [{ ...credentials, password: null }], 'not_authorized'],
    ['right credentials from elsewhere', digest('u', 'p'), [], 'not_authorized'],
    ['nobody knows the address', {}, [], 'not_authorized'],
    ['by address alone', {}, [open, prefixed], 'open'],
    ['by address and prefix, the longest first', { to: '554930' }, [open, prefixed], 'prefixed'],
    ['by address, prefix missing', {}, [prefixed], 'not_authorized'],
    ['by account', {}, [open, twilio], 'twilio'],
  ])('%s', (_, change, candidates, expected) => {
    const found = identify({ ...request, ...change }, candidates);
    expect('trunk' in found ? found.trunk.name : 'reason' in found ? found.reason : 'challenge').toBe(expected);
  });
});

const facts: OutboundFacts = {
  trunk: credentials,
  suspended: false,
  thresholdReached: false,
  capacityLimit: 2,
  inUse: 1,
  defaultDstAction: 'allow_all',
  dstPrefixes: ['881'],
  onCliMismatch: 'reject_call',
  cliNumbers: ['442011', '442022'],
  defaultNumber: null,
  hasRate: true,
  spendable: 1n,
  emergencyCaller: null,
};
const dial = { from: '+442011', to: '77#4930123' };

describe('whether it may', () => {
  test('the prefix is stripped, the caller id is one of the trunk’s', () => {
    expect(decide(dial, facts)).toEqual({ srcNumber: '442011', destination: '4930123' });
    expect(decide({ ...dial, to: '77#+4930123' }, facts)).toEqual({ srcNumber: '442011', destination: '4930123' });
  });

  test.each<[string, Partial<typeof dial>, Partial<OutboundFacts>, number, string]>([
    ['blocked by hand', {}, { trunk: { ...credentials, status: 'blocked' } }, 403, 'trunk_blocked'],
    [
      'threshold',
      {},
      { thresholdReached: true, trunk: { ...credentials, status: 'blocked' } },
      403,
      'threshold_reached',
    ],
    ['a suspended account', {}, { suspended: true }, 403, 'account_suspended'],
    ['no prefix', { to: '4930' }, {}, 403, 'tech_prefix_missing'],
    ['letters', { to: '77#pizza' }, {}, 484, 'not_a_number'],
    ['letters on a trunk without a prefix', { to: 'abc' }, { trunk: open }, 484, 'not_a_number'],
    ['nothing behind the prefix', { to: '77#' }, {}, 484, 'not_a_number'],
    ['an exception to all', { to: '77#88162' }, {}, 403, 'destination_refused'],
    ['nothing but exceptions', {}, { defaultDstAction: 'reject_all' }, 403, 'destination_refused'],
    ['another caller id', { from: '1555' }, {}, 403, 'cli_mismatch'],
    ['nothing to draw from', { from: '1555' }, { onCliMismatch: 'randomize_cli', cliNumbers: [] }, 403, 'cli_mismatch'],
    ['no rate', {}, { hasRate: false }, 404, 'no_rate'],
    ['no money', {}, { spendable: 0n }, 402, 'insufficient_balance'],
    ['no channel', {}, { inUse: 2 }, 480, 'trunk_limit'],
  ])('refused: %s', (_, change, known, code, reason) => {
    expect(decide({ ...dial, ...change }, { ...facts, ...known })).toMatchObject({ code, reason });
  });

  test.each<[OutboundFacts['onCliMismatch'], Partial<OutboundFacts>, string]>([
    ['send_original_cli', {}, '1555'],
    ['replace_cli', { defaultNumber: '442099' }, '442099'],
    ['randomize_cli', {}, '442022'],
  ])('a caller id that is not the trunk’s, with %s', (onCliMismatch, known, shown) => {
    expect(decide({ ...dial, from: '1555' }, { ...facts, ...known, onCliMismatch }, () => 0.7)).toMatchObject({
      srcNumber: shown,
    });
  });

  test('reject_all with the destination listed, and no limit', () => {
    const known: OutboundFacts = {
      ...facts,
      defaultDstAction: 'reject_all',
      dstPrefixes: ['44', '493'],
      capacityLimit: null,
      inUse: 999,
    };
    expect(decide(dial, known)).toMatchObject({ destination: '4930123' });
  });
});

describe('an emergency call', () => {
  const emergencyCaller = { number: '442011', country: 'GB', countryName: 'United Kingdom', address: null };
  const emergency = { from: '+442011', to: '77#999' };
  const able: OutboundFacts = { ...facts, emergencyCaller };

  test.each<[string, Partial<OutboundFacts>]>([
    ['in order', {}],
    ['without money', { spendable: -5n }],
    ['without a rate', { hasRate: false }],
    ['over the threshold', { thresholdReached: true, trunk: { ...credentials, status: 'blocked' } }],
    ['without a free channel', { inUse: 2 }],
    ['to where the trunk does not call', { defaultDstAction: 'reject_all' }],
    ['from a number that is no caller id of the trunk', { cliNumbers: [], onCliMismatch: 'randomize_cli' }],
  ])('is placed: %s', (_, known) => {
    expect(decide(emergency, { ...able, ...known })).toEqual({ srcNumber: '442011', destination: '999' });
  });

  test.each<[string, Partial<typeof emergency>, Partial<OutboundFacts>, number, string]>([
    ['caller id not enabled', {}, { emergencyCaller: null }, 403, 'emergency_not_enabled'],
    [
      'never with another caller id',
      {},
      { emergencyCaller: null, onCliMismatch: 'replace_cli' },
      403,
      'emergency_not_enabled',
    ],
    ['number of another country', { to: '77#911' }, {}, 404, 'emergency_number_elsewhere'],
    ['blocked by hand', {}, { trunk: { ...credentials, status: 'blocked' } }, 403, 'trunk_blocked'],
    ['no prefix', { to: '999' }, {}, 403, 'tech_prefix_missing'],
  ])('is refused: %s', (_, change, known, code, reason) => {
    expect(decide({ ...emergency, ...change }, { ...able, ...known })).toMatchObject({ code, reason });
  });
});
