/**
 * Looking up the caller's name: a price of its own, once a call, in the CDR of the attempt that got it; no name costs
 * nothing.
 */
import { beforeAll, expect, test } from 'vitest';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { setCallerName } from '../names/listed-names.ts';
import { setVoiceRate } from '../rates.ts';
import { type CallScript, simulateInbound } from '../simulate.ts';
import { arrive } from './arrive.ts';

const { house, telephony, voice } = useTelephony();
beforeAll(async () => {
  await setVoiceRate(house.env, { kind: 'cnam_lookup', prefix: '1', perMinute: '0', connectionFee: '0.008' });
  for (const number of ['15550100', '442037691880']) await setCallerName(house.env, number, 'ANN LEE');
});

const answered: CallScript = { outcomes: [{ code: 200 }], talk_seconds: 30 };
const wanted = { cnam_lookup: true, rerouting_disconnect_code_ids: [90] };

/** A number that is routed to these trunks, one after another. */
async function numberOf(accountId: string, ...configurations: object[]): Promise<string> {
  const groupId = await telephony.trunkGroup(accountId);
  for (const [priority, sip] of configurations.entries()) {
    await telephony.trunk(accountId, { priority, voice_in_trunk_group_id: groupId }, sip);
  }
  return (await telephony.did(accountId, { voice_in_trunk_group_id: groupId })).number;
}

async function lookups(didNumber: string, srcNumber: string, script: CallScript): Promise<string[]> {
  const { call } = await simulateInbound(voice, { didNumber, srcNumber }, script);
  const rows = house.env.db.selectFrom('cdrs_in').select('cnam_amount').where('call_id', '=', call.id);
  return (await rows.orderBy('attempt').execute()).map(({ cnam_amount }) => cnam_amount);
}

const balanceOf = async (id: string) =>
  (await house.env.db.selectFrom('accounts').select('balance').where('id', '=', id).executeTakeFirstOrThrow()).balance;

test('is charged once for a call, to the attempt that needed it first, with VAT', async () => {
  const accountId = await telephony.account({ vatRate: '25' });
  const number = await numberOf(accountId, { rerouting_disconnect_code_ids: [90] }, wanted, wanted);
  const busyTwice: CallScript = { outcomes: [{ code: 486 }, { code: 486 }, { code: 200 }], talk_seconds: 30 };
  expect(await lookups(number, '15550100', busyTwice)).toEqual(['0.0000', '0.0100', '0.0000']);
  expect(await balanceOf(accountId)).toBe('99.9900');
});

test('is charged for a call that nobody answers', async () => {
  const accountId = await telephony.account();
  const number = await numberOf(accountId, wanted);
  expect(await lookups(number, '+15550100', { outcomes: [{ code: 486 }], talk_seconds: 0 })).toEqual(['0.0080']);
  expect(await balanceOf(accountId)).toBe('99.9920');
});

test.each<[string, object, string]>([
  ['a trunk does not ask for it', { cnam_lookup: false }, '15550100'],
  ['there is no rate for such a caller', wanted, '442037691880'],
  ['the caller has no number', wanted, 'anonymous'],
])('is not made where %s', async (_, configuration, srcNumber) => {
  const accountId = await telephony.account();
  expect(await lookups(await numberOf(accountId, configuration), srcNumber, answered)).toEqual(['0.0000']);
  expect(await balanceOf(accountId)).toBe('100.0000');
});

test('a name that nobody knows costs nothing', async () => {
  const accountId = await telephony.account();
  expect(await lookups(await numberOf(accountId, wanted), '15550199', answered)).toEqual(['0.0000']);
  expect(await balanceOf(accountId)).toBe('100.0000');
});

test('the CDR of the attempt that got the name shows it, others what the caller sent', async () => {
  const accountId = await telephony.account();
  const number = await numberOf(accountId, { rerouting_disconnect_code_ids: [90] }, wanted);
  const script: CallScript = { outcomes: [{ code: 486 }, { code: 200 }], talk_seconds: 1 };
  const arrival = { didNumber: number, srcNumber: '15550100', srcName: 'Sent' };
  const { call } = await simulateInbound(voice, arrival, script);
  const rows = house.env.db.selectFrom('cdrs_in').select('src_name').where('call_id', '=', call.id);
  expect(await rows.orderBy('attempt').execute()).toEqual([{ src_name: 'Sent' }, { src_name: 'ANN LEE' }]);
});

test('a name that reached nobody is not charged, and a call that cannot pay for it goes on without', async () => {
  const accountId = await telephony.account({ balance: '0.005' });
  const number = await numberOf(accountId, wanted);
  expect(await lookups(number, '15550100', answered)).toEqual(['0.0000']);
  const rich = await telephony.account();
  const arrived = await arrive(voice, { didNumber: await numberOf(rich, wanted), srcNumber: '15550100' });
  if (arrived.refusal) throw new Error('refused');
  expect(arrived.live.call.attempts[0]?.callerName).toBe('ANN LEE');
  await arrived.live.attemptFailed({ code: 503, initiator: 'switch', reason: 'no address' }, house.clock.now());
  expect([await balanceOf(accountId), await balanceOf(rich)]).toEqual(['0.0050', '100.0000']);
});

test('a call that cannot pay for the name goes on without, also to its next trunk', async () => {
  const accountId = await telephony.account({ balance: '0.005' });
  const number = await numberOf(accountId, { rerouting_disconnect_code_ids: [90] }, wanted);
  const script: CallScript = { outcomes: [{ code: 486 }, { code: 200 }], talk_seconds: 30 };
  const { call } = await simulateInbound(voice, { didNumber: number, srcNumber: '15550100' }, script);
  expect([call.disconnect?.code, call.attempts.map(({ callerName }) => callerName)]).toEqual([
    200,
    [undefined, undefined],
  ]);
  expect(await balanceOf(accountId)).toBe('0.0050');
});

test("an account's own price goes before everyone's", async () => {
  const accountId = await telephony.account();
  await setVoiceRate(house.env, { kind: 'cnam_lookup', prefix: '', perMinute: '0', connectionFee: '0.5', accountId });
  expect(await lookups(await numberOf(accountId, wanted), '15550100', answered)).toEqual(['0.5000']);
  expect(await balanceOf(accountId)).toBe('99.5000');
});
