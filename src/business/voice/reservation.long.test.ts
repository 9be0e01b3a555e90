/**
 * Money is a limit while calls are up: of the account, of the trunk, of a class of destinations; however many there are
 * at once.
 */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDialers, type Dialer } from '../../../test/support/dialers.ts';
import { advanceClock } from '../../../test/support/environment.ts';
import { held, useInboundCalls } from '../../../test/support/use-inbound-calls.ts';
import { connectionOf, createDatabase, createPool } from '../../engines/db/pool.ts';
import { parseAmount } from '../money/decimal.ts';
import { charge } from '../money/ledger.ts';
import { setCallerName } from './names/listed-names.ts';
import { placeCall } from './outbound/place-call.ts';
import { setVoiceRate } from './rates.ts';
import { setRiskLimit } from './risks.ts';
import { simulateInbound, simulateOutbound } from './simulate.ts';

const { house, telephony, voice, call, cdrsOf, balanceOf } = useInboundCalls();
const customer = createDialers(house, telephony);

beforeAll(async () => {
  for (const prefix of ['49', '881', '4420']) {
    await setVoiceRate(house.env, { kind: 'termination', prefix, perMinute: '0.6' });
    await setVoiceRate(house.env, { kind: 'pstn_forwarding', prefix, perMinute: '0.6' });
  }
  await setVoiceRate(house.env, { kind: 'toll_free', prefix: '', perMinute: '0.6' });
});

const longTalk = { code: 200, ring_seconds: 0, talk_seconds: 3_600 };
const heldBy = async (accountId: string) =>
  (await house.env.db.selectFrom('accounts').select('held').where('id', '=', accountId).executeTakeFirstOrThrow()).held;
const setBalance = (accountId: string, balance: string) =>
  house.env.pool.query(
    `select post_ledger($1, 'adjustment', gen_random_uuid(), '', null, null, $2, array['customer', 'funding'],
       array[$3::numeric - balance, balance - $3::numeric]) from accounts where id = $1`,
    [accountId, house.clock.now(), balance],
  );
const cdrsOut = (accountId: string) =>
  house.env.db.selectFrom('cdrs_out').selectAll().where('account_id', '=', accountId).execute();

async function talkAtOnce({ request }: Dialer, calls: number, to = request.to) {
  await Promise.all(Array.from({ length: calls }, () => simulateOutbound(voice, { ...request, to }, longTalk)));
}

describe('calls out that run side by side', () => {
  test('are refused with 402 where the balance does not pay for a first interval', async () => {
    const dialer = await customer();
    await setBalance(dialer.accountId, '0.02');
    await talkAtOnce(dialer, 10);
    expect(await balanceOf(dialer.accountId)).toBe('0.0200');
    const cdrs = await cdrsOut(dialer.accountId);
    expect(cdrs.map(({ disconnect_code, price }) => [disconnect_code, price])).toEqual(Array(10).fill([402, '0.0000']));
  });

  test('are cut with 402 when the balance is used up, and the account owes nothing', async () => {
    const dialer = await customer();
    await setBalance(dialer.accountId, '5');
    await talkAtOnce(dialer, 10);
    const cdrs = await cdrsOut(dialer.accountId);
    expect(new Set(cdrs.map(({ disconnect_code }) => disconnect_code))).toEqual(new Set([402]));
    expect(cdrs.find(({ success }) => success)).toMatchObject({ disconnect_reason: 'Balance too low' });
    const left = parseAmount(await balanceOf(dialer.accountId));
    expect(left >= 0n && left < parseAmount('0.06')).toBe(true);
    expect(await heldBy(dialer.accountId)).toBe('0.0000');
  });

  test('of two processes spend the balance together, and no more', async () => {
    const pool = createPool(connectionOf(house.env.pool));
    const elsewhere = { ...voice, env: { ...house.env, pool, db: createDatabase(pool) }, workerId: randomUUID() };
    const { accountId, request } = await customer();
    await setBalance(accountId, '5');
    const hosts = [voice, elsewhere, voice, elsewhere, voice, elsewhere];
    await Promise.all(hosts.map((host) => simulateOutbound(host, request, longTalk)));
    await pool.end();
    const left = parseAmount(await balanceOf(accountId));
    expect(left >= 0n && left < parseAmount('0.06')).toBe(true);
    expect(await heldBy(accountId)).toBe('0.0000');
  });

  test('whose first seconds cost less than the smallest amount are not taken for free ones', async () => {
    const { accountId, request } = await customer();
    await setVoiceRate(house.env, { kind: 'termination', prefix: '4931', perMinute: '0.0001' });
    await setBalance(accountId, '0.0003');
    await simulateOutbound(voice, { ...request, to: '7#4931234567' }, { ...longTalk, talk_seconds: 80_000 });
    const [cdr] = await cdrsOut(accountId);
    expect(cdr).toMatchObject({ disconnect_code: 402, price: '0.0003' });
    expect(await balanceOf(accountId)).toBe('0.0000');
  });

  test('that are refused because of a threshold that is all but reached block the trunk', async () => {
    const { accountId, trunkId, request } = await customer({ threshold_amount: '0.63' });
    const trunk = () =>
      house.env.db.selectFrom('voice_out_trunks').selectAll().where('id', '=', trunkId).executeTakeFirstOrThrow();
    const refused = () => simulateOutbound(voice, request, longTalk);
    await setVoiceRate(house.env, { kind: 'termination', prefix: '4932', perMinute: '20' });
    // Too dear is not reached.
    const dear = { ...request, to: '7#4932123456' };
    expect(await simulateOutbound(voice, dear, longTalk)).toMatchObject({ refused: { reason: 'threshold_reached' } });
    expect(await trunk()).toMatchObject({ status: 'active' });
    await simulateOutbound(voice, request, { ...longTalk, talk_seconds: 60 });
    expect(await trunk()).toMatchObject({ status: 'active' });
    expect(await refused()).toMatchObject({ refused: { code: 403, reason: 'threshold_reached' } });
    expect(await trunk()).toMatchObject({ status: 'blocked', threshold_reached: true });
    expect(parseAmount('100') - parseAmount(await balanceOf(accountId))).toBe(parseAmount('0.6'));
    await advanceClock(house.env, 86_401);
    expect(await trunk()).toMatchObject({ status: 'active', threshold_reached: false });
  });

  test('stop at the threshold of the trunk, which is blocked; opened by hand it may spend as much again', async () => {
    const dialer = await customer({ threshold_amount: '3' });
    await setBalance(dialer.accountId, '5');
    await talkAtOnce(dialer, 6);
    const spent = parseAmount('5') - parseAmount(await balanceOf(dialer.accountId));
    expect(spent <= parseAmount('3') && spent > parseAmount('2.94')).toBe(true);
    expect((await cdrsOut(dialer.accountId)).find(({ success }) => success)).toMatchObject({
      ...{ disconnect_code: 403, disconnect_reason: 'Spending threshold reached' },
    });
    const trunk = house.env.db.selectFrom('voice_out_trunks').selectAll().where('id', '=', dialer.trunkId);
    expect(await trunk.executeTakeFirstOrThrow()).toMatchObject({
      ...{ status: 'blocked', threshold_reached: true, held: '0.0000' },
    });
    house.clock.advance(1);
    await house.env.db
      .updateTable('voice_out_trunks')
      .set({ status: 'active', threshold_reached: false, threshold_from: house.clock.now() })
      .where('id', '=', dialer.trunkId)
      .execute();
    await talkAtOnce(dialer, 1);
    expect(parseAmount(await balanceOf(dialer.accountId))).toBeLessThan(parseAmount('0.06'));
  });

  test('to a class of destinations stop at its limit of the day; others go on', async () => {
    const dialer = await customer();
    await setRiskLimit(house.env, { risk: 'high', limit: '2', accountId: dialer.accountId });
    const satellite = '7#88161234567';
    await talkAtOnce(dialer, 4, satellite);
    const spent = parseAmount('100') - parseAmount(await balanceOf(dialer.accountId));
    expect(spent <= parseAmount('2') && spent > parseAmount('1.94')).toBe(true);
    expect(await simulateOutbound(voice, { ...dialer.request, to: satellite }, longTalk)).toMatchObject({
      refused: { code: 403, reason: 'risk_limit' },
    });
    const short = { ...longTalk, talk_seconds: 6 };
    expect(await simulateOutbound(voice, dialer.request, short)).toMatchObject({ call: { disconnect: { code: 200 } } });
    house.clock.advance(86_400);
    expect(await simulateOutbound(voice, { ...dialer.request, to: satellite }, short)).toHaveProperty('call');
  });
});

test('with plenty of money a call asks once for five minutes, with little for six seconds', async () => {
  const [rich, poor] = [await customer(), await customer()];
  await setBalance(rich.accountId, '10000');
  await setBalance(poor.accountId, '1');
  const asked: (number | null)[] = [];
  for (const { request } of [rich, poor]) {
    const placed = await placeCall(voice, { ...request, sourcePort: 5060, sourceProtocol: 'UDP', callId: 'x' });
    if (!('live' in placed)) throw new Error('refused');
    asked.push(placed.live.paidSeconds);
    await placed.live.end({ code: 487, reason: 'Request Terminated', initiator: 'origination' }, house.clock.now());
  }
  expect(asked).toEqual([300, 6]);
});

test('what a call holds cannot be spent on anything else, until the call ends', async () => {
  const { request, accountId } = await customer();
  await setBalance(accountId, '0.1');
  const placed = await placeCall(voice, { ...request, sourcePort: 5060, sourceProtocol: 'UDP', callId: 'x' });
  if (!('live' in placed)) throw new Error('refused');
  const order = () =>
    house.env.db
      .transaction()
      .execute((trx) =>
        charge(
          trx,
          { accountId, at: house.clock.now(), cause: 'order', reference: '00000000-0000-4000-8000-000000000001' },
          { net: parseAmount('0.1'), vat: 0n, vatRate: '0' },
        ),
      );
  expect(await order()).toMatchObject({ ok: false, available: parseAmount('0.04') });
  await placed.live.end({ code: 487, reason: 'Request Terminated', initiator: 'origination' }, house.clock.now());
  expect(await order()).toEqual({ ok: true });
});

describe('calls in', () => {
  const forwarded = async (accountId: string, dst = '442037691880') =>
    (await telephony.did(accountId, { voice_in_trunk_id: await telephony.pstnTrunk(accountId, dst) })).number;

  test('that are forwarded to a telephone number are cut when money ends, to the second', async () => {
    const accountId = await telephony.account({ balance: '1' });
    const { call: ended } = await call(await forwarded(accountId), { talk_seconds: 3_600 });
    expect(await cdrsOf(ended.id)).toMatchObject([
      { duration: 96, disconnect_code: 402, response: 'Balance too low', pstn_amount: '0.9600' },
    ]);
    expect(await balanceOf(accountId)).toBe('0.0400');
  });

  test('that are forwarded count against the class of the destination', async () => {
    const accountId = await telephony.account();
    await setRiskLimit(house.env, { risk: 'high', limit: '0.05', accountId });
    const { call: ended } = await call(await forwarded(accountId, '88161234567'));
    expect(ended.disconnect).toMatchObject({ code: 403, reason: 'Daily limit of such destinations reached' });
  });

  test('are not tried at a forwarding trunk that nobody can pay', async () => {
    const accountId = await telephony.account({ balance: '0.02' });
    const group = await telephony.trunkGroup(accountId);
    const sip = { rerouting_disconnect_code_ids: [90] };
    await telephony.trunk(accountId, { priority: 1, voice_in_trunk_group_id: group }, sip);
    const pstn = await telephony.pstnTrunk(accountId, '442037691880');
    const update = house.env.db.updateTable('voice_in_trunks').set({ priority: 2, voice_in_trunk_group_id: group });
    await update.where('id', '=', pstn).execute();
    const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: group });
    const { call: ended } = await call(number, { outcomes: [{ code: 486 }, { code: 200 }] });
    expect([ended.disconnect?.code, ended.timeConnect, await balanceOf(accountId)]).toEqual([402, null, '0.0200']);
  });

  test('of metered numbers that stay up are extended and cut as the clock is advanced', async () => {
    const accountId = await telephony.account({ balance: '10' });
    const { number } = await telephony.did(
      accountId,
      { voice_in_trunk_id: await telephony.trunk(accountId) },
      'metered',
    );
    const { call: active } = await call(number, held);
    await advanceClock(house.env, 600);
    expect(await cdrsOf(active.id)).toEqual([]);
    await advanceClock(house.env, 3_600);
    const [cdr] = await cdrsOf(active.id);
    expect(cdr).toMatchObject({ disconnect_code: 402, disconnect_initiator: 'Switch' });
    expect(cdr?.duration).toBeGreaterThan(993);
    expect(cdr?.duration).toBeLessThanOrEqual(1_000);
    expect(parseAmount(await balanceOf(accountId))).toBe(parseAmount('10') - parseAmount(cdr?.toll_free_amount ?? ''));
    expect(await heldBy(accountId)).toBe('0.0000');
  });
});

test('calls out, forwarded, metered and with names share one balance, and none of them ends below zero', async () => {
  const { accountId, request } = await customer();
  await setVoiceRate(house.env, { kind: 'cnam_lookup', prefix: '1', perMinute: '0', connectionFee: '0.3' });
  await setCallerName(house.env, '15550199', 'ANN LEE');
  const named = await telephony.trunk(accountId, {}, { cnam_lookup: true });
  const numberAt = async (voice_in_trunk_id: string, group?: 'metered') =>
    (await telephony.did(accountId, { voice_in_trunk_id }, group)).number;
  const numbers = [
    await numberAt(await telephony.pstnTrunk(accountId, '442037691880')),
    await numberAt(await telephony.trunk(accountId), 'metered'),
    await numberAt(named),
    await numberAt(named, 'metered'),
  ];
  await setBalance(accountId, '2');
  const script = { outcomes: [{ code: 200 as const }], talk_seconds: 3_600 };
  const ended = await Promise.all([
    simulateOutbound(voice, request, longTalk),
    ...numbers.map((didNumber) => simulateInbound(voice, { didNumber, srcNumber: '15550199' }, script)),
  ]);
  expect(ended).toHaveLength(5);
  const left = parseAmount(await balanceOf(accountId));
  expect(left >= 0n && left < parseAmount('0.06')).toBe(true);
  expect(await heldBy(accountId)).toBe('0.0000');
  const charged = await house.env.db
    .selectFrom('cdrs_in')
    .select(['pstn_amount', 'toll_free_amount', 'cnam_amount'])
    .where('account_id', '=', accountId)
    .execute();
  const kinds = ['pstn_amount', 'toll_free_amount', 'cnam_amount'] as const;
  expect(kinds.filter((kind) => charged.some((cdr) => parseAmount(cdr[kind]) > 0n))).toEqual(kinds);
});

test('whatever the rates and moments, nobody ever owes anything', async () => {
  const someRate = fc.record({
    perMinute: fc.integer({ min: 1, max: 3_000 }).map((units) => (units / 1_000).toFixed(3)),
    connectionFee: fc.constantFrom('0', '0.05'),
    initialInterval: fc.constantFrom(1, 6, 30, 60),
    nextInterval: fc.constantFrom(1, 6, 60),
  });
  const scenario = fc.record({
    rate: someRate,
    balance: fc.integer({ min: 1, max: 500 }).map((cents) => (cents / 100).toFixed(2)),
    talks: fc.array(fc.integer({ min: 1, max: 1_200 }), { minLength: 1, maxLength: 6 }),
  });
  let prefix = 700;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ rate, balance, talks }) => {
      const dialer = await customer();
      prefix += 1;
      await setVoiceRate(house.env, { kind: 'termination', prefix: String(prefix), ...rate });
      await setBalance(dialer.accountId, balance);
      const request = { ...dialer.request, to: `7#${prefix}123456` };
      await Promise.all(talks.map((talk_seconds) => simulateOutbound(voice, request, { ...longTalk, talk_seconds })));
      expect(parseAmount(await balanceOf(dialer.accountId))).toBeGreaterThanOrEqual(0n);
      expect(await heldBy(dialer.accountId)).toBe('0.0000');
    }),
    { numRuns: 6 },
  );
});
