import { describe, expect, test } from 'vitest';
import { decide, identify, type OutboundFacts, type OutboundRequest, type OutboundTrunk } from './decide.ts';

const trunk = (name: string, authentication: OutboundTrunk['authentication']): OutboundTrunk => ({
  id: name,
  accountId: 'a',
  name,
  status: 'active',
  authentication,
});
const credentials = trunk('credentials', {
  type: 'credentials_and_ip',
  allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
  techPrefix: '77#',
  username: 'u',
});
const open = trunk('open', { type: 'ip_only', allowedIps: ['198.51.100.7/32'], techPrefix: null });
const prefixed = trunk('prefixed', { type: 'ip_only', allowedIps: ['198.51.100.0/24'], techPrefix: '55' });
const twilio = trunk('twilio', { type: 'twilio', accountSid: 'AC0123' });
const all = [credentials, open, prefixed, twilio];

const request: OutboundRequest = {
  sourceIp: '203.0.113.9',
  digest: null,
  twilioAccountSid: null,
  from: '4420',
  to: '4930',
};

describe('who calls', () => {
  test.each<[string, Partial<OutboundRequest>, string]>([
    ['right credentials from a listed address', { digest: { username: 'u', valid: true } }, 'credentials'],
    ['the same over IPv6', { sourceIp: '2001:db8::5', digest: { username: 'u', valid: true } }, 'credentials'],
    ['no credentials yet', {}, 'challenge'],
    ['wrong password', { digest: { username: 'u', valid: false } }, 'not_authorized'],
    ['another user', { digest: { username: 'x', valid: true } }, 'not_authorized'],
    [
      'right credentials from elsewhere',
      { sourceIp: '192.0.2.1', digest: { username: 'u', valid: true } },
      'not_authorized',
    ],
    ['nobody knows the address', { sourceIp: '192.0.2.1' }, 'not_authorized'],
    ['an address that is none', { sourceIp: 'x' }, 'not_authorized'],
    ['by address alone', { sourceIp: '198.51.100.7' }, 'open'],
    ['by address and prefix, the longest first', { sourceIp: '198.51.100.7', to: '554930' }, 'prefixed'],
    ['by address, prefix missing', { sourceIp: '198.51.100.8' }, 'not_authorized'],
    ['by account', { sourceIp: '192.0.2.1', twilioAccountSid: 'ac0123' }, 'twilio'],
  ])('%s', (_, change, expected) => {
    const found = identify({ ...request, ...change }, all);
    expect('trunk' in found ? found.trunk.name : 'reason' in found ? found.reason : 'challenge').toBe(expected);
  });
});

const facts: OutboundFacts = {
  trunk: credentials,
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
    expect(decide({ ...dial, ...change }, { ...facts, ...known })).toEqual({ code, reason });
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
