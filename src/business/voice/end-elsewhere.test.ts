/** Calls that are ended by another process than the one that carries them. */
import { expect, test } from 'vitest';
import { useTelephony } from '../../../test/support/use-telephony.ts';
import type { Disconnect } from './call.ts';
import { hangUp } from './disconnect-codes.ts';
import { endCallById, endCallsWhere } from './end-elsewhere.ts';
import { arrive } from './inbound/arrive.ts';

const { house, telephony, voice } = useTelephony();

const source = { address: '192.0.2.7', port: 5060, protocol: 'UDP' } as const;
const carrier = { id: '0a3c7d52-6f0e-4a54-9c0b-3a41d1f6b3a9', name: 'Northern Carrier' };

/** An active call whose legs record with which disconnect they were hung up. */
async function carriedCall() {
  const accountId = await telephony.account();
  const trunkId = await telephony.trunk(accountId);
  const { number: didNumber } = await telephony.did(accountId, { voice_in_trunk_id: trunkId });
  const arrived = await arrive(voice, { didNumber, srcNumber: '15550100', source, carrier });
  if (arrived.refusal !== null) throw new Error(arrived.refusal.reason);
  const hungUp: Disconnect[] = [];
  arrived.live.carriedBy({ hangUp: (disconnect) => hungUp.push(disconnect) });
  return { live: arrived.live, trunkId, hungUp };
}

const now = () => house.clock.now();

test('a hang-up elsewhere reaches the legs, with its reason, and the legs of no other call', async () => {
  const [ended, other] = [await carriedCall(), await carriedCall()];
  expect(await endCallById(house.env, ended.live.call.id, hangUp, now)).toMatchObject({ state: 'ended' });
  await expect.poll(() => ended.hungUp).toEqual([hangUp]);
  expect(other.hungUp).toEqual([]);
  await other.live.end(hangUp, now());
});

test('calls of a trunk end together, in the process that carries them too', async () => {
  const { trunkId, hungUp } = await carriedCall();
  const gone: Disconnect = { code: 403, reason: 'Forbidden', initiator: 'switch' };
  expect(await endCallsWhere(house.env, { trunkIds: [trunkId] }, gone, now)).toBe(1);
  await expect.poll(() => hungUp).toEqual([gone]);
});

test('a call that its process changes while another one ends it ends as it was changed', async () => {
  const { live } = await carriedCall();
  const at = house.clock.now();
  const hold = await house.env.pool.connect();
  await hold.query('begin');
  await hold.query('select from open_calls where id = $1 for update', [live.call.id]);
  const answering = live.answered(at);
  await expect.poll(() => waiting('update open_calls')).toBe(1);
  const ending = endCallById(house.env, live.call.id, hangUp, () => at);
  await expect.poll(() => waiting('delete from open_calls')).toBe(1);
  await hold.query('commit');
  hold.release();
  expect([await answering, await ending]).toMatchObject([true, { timeConnect: at }]);
  const cdrs = await house.env.db.selectFrom('cdrs_in').selectAll().where('call_id', '=', live.call.id).execute();
  expect(cdrs).toMatchObject([{ success: true }]);
});

test('many calls end four at a time', async () => {
  const calls: Awaited<ReturnType<typeof carriedCall>>[] = [];
  while (calls.length < 6) calls.push(await carriedCall());
  const hold = await house.env.pool.connect();
  await hold.query('begin; select from open_calls for update');
  const trunkIds = calls.map(({ trunkId }) => trunkId);
  const ending = endCallsWhere(house.env, { trunkIds }, hangUp, now);
  await expect.poll(() => waiting('delete from open_calls')).toBe(4);
  await hold.query('commit');
  hold.release();
  expect(await ending).toBe(6);
  await expect.poll(() => calls.every(({ hungUp }) => hungUp.length === 1)).toBe(true);
});

/** Statements of this database with such a text that wait for a lock. */
async function waiting(text: string): Promise<number> {
  const { rows } = await house.env.pool.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
    [text],
  );
  return rows.length;
}

test('an end that was made while nothing could be heard reaches the legs on the next connection', async () => {
  const { live, hungUp } = await carriedCall();
  const connections = `from pg_stat_activity where application_name = 'trunkline changes' and datname = current_database()`;
  await house.env.pool.query(`select pg_terminate_backend(pid) ${connections}`);
  await house.env.pool.query('delete from open_calls where id = $1', [live.call.id]);
  await expect.poll(() => hungUp).toMatchObject([{ code: 487 }]);
});

test('legs that ended their call themselves are not hung up again', async () => {
  const { live, hungUp } = await carriedCall();
  await live.end(hangUp, now());
  const after = await carriedCall();
  await endCallById(house.env, after.live.call.id, hangUp, now);
  await expect.poll(() => after.hungUp).toHaveLength(1);
  expect(hungUp).toEqual([]);
});

test('the carrier is kept in the CDR', async () => {
  const { live } = await carriedCall();
  expect(live.call).toMatchObject({ source, carrier });
  await live.end(hangUp, now());
  const cdrs = await house.env.db.selectFrom('cdrs_in').selectAll().where('call_id', '=', live.call.id).execute();
  expect(cdrs).toMatchObject([{ carrier_id: carrier.id, carrier_name: carrier.name }]);
});
