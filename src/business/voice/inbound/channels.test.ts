/** Channels of inbound calls: included, shared and metered ones, and the limits of numbers, trunks and groups. */
import { expect, test } from 'vitest';
import { statementsDuring } from '../../../../test/support/statements.ts';
import { held, useInboundCalls, withEvents } from '../../../../test/support/use-inbound-calls.ts';
import { hangUp } from '../disconnect-codes.ts';
import { endCallById } from '../end-elsewhere.ts';

const { house, telephony, call, cdrsOf, eventsOf, openCalls, balanceOf, routedNumber } = useInboundCalls();

test('two included channels carry two calls, the third is refused with 480 and has a CDR', async () => {
  const { number } = await routedNumber();
  const [first, second, third] = [await call(number, held), await call(number, held), await call(number, held)];
  expect([first.status, second.status, third.status]).toEqual(['answered', 'answered', 'failed']);
  expect(await cdrsOf(third.call.id)).toMatchObject([
    { disconnect_code: 480, attempt: 1, voice_in_trunk_id: null, disconnect_initiator: 'Switch' },
  ]);
  expect(await eventsOf(third.call.id)).toEqual([]);
  for (const { call: active } of [first, second])
    await endCallById(house.env, active.id, hangUp, () => house.clock.now());
  expect((await call(number)).status).toBe('completed');
});

test('a call is routed with one statement, opened with one, answered with one and ended with one', async () => {
  const { number } = await routedNumber();
  await call(number);
  const sent = await statementsDuring(house.env.pool, () => call(number));
  const names = sent.map((statement) => ('name' in statement ? statement.name : statement.text));
  // Written four times a second, beside the calls.
  const beside = ['voice_write_traces', 'voice_write_refusals'];
  expect(names.filter((name) => !beside.includes(String(name)))).toEqual([
    'voice_route',
    'voice_open_call',
    'voice_answered',
    'voice_end_in',
  ]);
});

test('calls that arrive together are opened together, and take no more channels than there are', async () => {
  const numbers = await Promise.all([routedNumber(), routedNumber(), routedNumber()]);
  const arrivals = Array.from({ length: 24 }, (_, index) => numbers[index % 3]?.number ?? '');
  const placed: Awaited<ReturnType<typeof call>>[] = [];
  const sent = await statementsDuring(house.env.pool, async () => {
    placed.push(...(await Promise.all(arrivals.map((number) => call(number, held)))));
  });
  const up = placed.filter(({ status }) => status === 'answered');
  expect([up.length, placed.length - up.length]).toEqual([6, 18]);
  expect(new Set(up.map(({ call: active }) => active.didNumber)).size).toBe(3);
  expect(await openCalls()).toBe(6);
  const openings = sent.filter((statement) => 'name' in statement && statement.name === 'voice_open_call');
  expect(openings.length).toBeLessThan(24);
  for (const { call: active } of up) await endCallById(house.env, active.id, hangUp, () => house.clock.now());
});

test('shared channels come before metered ones, and metered minutes are charged', async () => {
  const accountId = await telephony.account(withEvents);
  const groupId = await telephony.capacityGroup(accountId, 1, 1);
  const trunkId = await telephony.trunk(accountId);
  const route = { voice_in_trunk_id: trunkId, channels_included_count: 0, shared_capacity_group_id: groupId };
  const [one, two] = [await telephony.did(accountId, route), await telephony.did(accountId, route)];
  const shared = await call(one.number, held);
  const metered = await call(two.number, { talk_seconds: 61 });
  expect([shared.call.channel, metered.call.channel]).toEqual(['shared', 'metered']);
  expect(await cdrsOf(metered.call.id)).toMatchObject([
    { metered_amount: '0.0600', capacity_group_name: expect.stringMatching('channels') },
  ]);
  expect(await balanceOf(accountId)).toBe('99.9400');
  await endCallById(house.env, shared.call.id, hangUp, () => house.clock.now());
  expect(await balanceOf(accountId)).toBe('99.9400');
});

test('the limits of number, trunk and group are kept by many callers at once', async () => {
  const accountId = await telephony.account();
  const groupId = await telephony.trunkGroup(accountId, 5);
  await telephony.trunk(accountId, { voice_in_trunk_group_id: groupId, capacity_limit: 3 });
  await telephony.trunk(accountId, { voice_in_trunk_group_id: groupId, capacity_limit: 4 });
  const wide = await telephony.did(accountId, { voice_in_trunk_group_id: groupId, channels_included_count: 50 });
  const narrow = await telephony.did(accountId, {
    voice_in_trunk_group_id: groupId,
    channels_included_count: 50,
    capacity_limit: 1,
  });
  const calls = await Promise.all(
    Array.from({ length: 24 }, (_, index) => call(index % 2 === 0 ? wide.number : narrow.number, held)),
  );
  const active = calls.filter(({ status }) => status === 'answered');
  expect(active).toHaveLength(5);
  expect(active.filter((each) => each.call.didNumber === narrow.number).length).toBeLessThanOrEqual(1);
  const byTrunk = Map.groupBy(active, (each) => each.call.attempts[0]?.trunkId);
  expect(Math.max(...[...byTrunk.values()].map((each) => each.length))).toBeLessThanOrEqual(4);
  for (const each of active) await endCallById(house.env, each.call.id, hangUp, () => house.clock.now());
  expect(await openCalls()).toBe(0);
});

test('a full trunk is skipped', async () => {
  const accountId = await telephony.account();
  const groupId = await telephony.trunkGroup(accountId);
  const full = await telephony.trunk(
    accountId,
    { voice_in_trunk_group_id: groupId, priority: 0, capacity_limit: 1 },
    { rerouting_disconnect_code_ids: [90] },
  );
  const next = await telephony.trunk(accountId, { voice_in_trunk_group_id: groupId, priority: 1 });
  const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: groupId });
  const first = await call(number, held);
  const second = await call(number);
  expect([first.call.attempts[0]?.trunkId, second.call.attempts[0]?.trunkId]).toEqual([full, next]);
  await endCallById(house.env, first.call.id, hangUp, () => house.clock.now());
});
