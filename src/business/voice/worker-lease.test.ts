/** Processes that carry calls: their lease, and what happens when it ends. */
import { expect, test } from 'vitest';
import { HeldConnections } from '../../../test/support/held-connections.ts';
import { useTelephony } from '../../../test/support/use-telephony.ts';
import type { CallHost } from './ports.ts';
import { simulateInbound } from './simulate.ts';
import { endOverlongCalls, heartbeat, Reaper } from './worker-lease.ts';

const { house, telephony, voice } = useTelephony();

/** A call that stays active. */
async function activeCall(host: CallHost = voice) {
  const accountId = await telephony.account({ callEvents: { url: 'http://127.0.0.1:9/events', gzip: false } });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: await telephony.trunk(accountId) });
  const script = { outcomes: [{ code: 200 }], talk_seconds: null };
  return (await simulateInbound(host, { didNumber: number, srcNumber: '15550100' }, script)).call;
}

const cdrsOf = (callId: string) =>
  house.env.db.selectFrom('cdrs_in').selectAll().where('call_id', '=', callId).orderBy('attempt').execute();
const eventsOf = (callId: string) =>
  house.env.db.selectFrom('call_events').select('body').where('call_id', '=', callId).orderBy('id').execute();
const openCalls = async () => (await house.env.db.selectFrom('open_calls').select('id').execute()).length;

test('a process beats while requests keep every connection of the pool', async () => {
  const { pool } = house.env;
  const busy = new HeldConnections();
  await busy.take(pool, pool.options.max);
  const id = '0190163d-8694-739b-aea5-966c26f8ad90';
  await heartbeat(house.env, id);
  await heartbeat(house.env, id);
  expect(pool.waitingCount).toBe(0);
  busy.release();
  const { rows } = await pool.query('select beat from voice_workers where id = $1', [id]);
  expect(rows).toEqual([{ beat: 1 }]);
});

test('no call lasts longer than a day', async () => {
  const active = await activeCall();
  house.clock.advance(86_400);
  expect(await endOverlongCalls(house.env)).toBe(0);
  house.clock.advance(3600);
  expect(await endOverlongCalls(house.env)).toBe(1);
  expect(await cdrsOf(active.id)).toMatchObject([
    { duration: 86_400, disconnect_code: 487, disconnect_initiator: 'Switch' },
  ]);
});

test('the lease of a process that is gone is taken away: its calls end where it was last seen, once', async () => {
  const gone = { ...voice, workerId: '00000000-0000-4000-8000-00000000dead' };
  await heartbeat(house.env, gone.workerId);
  const active = await activeCall(gone);
  const [one, other] = [new Reaper(house.env), new Reaper(house.env)];
  const ended = { one: 0, other: 0 };
  for (let at = 0; at <= 6000; at += 3000) ended.one += await one.check(at);
  await heartbeat(house.env, gone.workerId);
  for (let at = 9000; at <= 15_000; at += 3000) ended.one += await one.check(at);
  expect([ended.one, await openCalls()]).toEqual([0, 1]);
  // After a time without checks (the database was away) a process is not taken for dead.
  expect(await one.check(30_000)).toBe(0);
  for (let at = 0; at <= 9000; at += 3000) {
    await heartbeat(house.env, voice.workerId);
    const counts = await Promise.all([one.check(30_000 + at), other.check(at)]);
    ended.one += counts[0];
    ended.other += counts[1];
  }
  expect(ended.one + ended.other).toBe(1);
  expect(await cdrsOf(active.id)).toMatchObject([
    { disconnect_code: 500, disconnect_initiator: 'Switch', success: true },
  ]);
  expect((await eventsOf(active.id)).map(({ body }) => JSON.parse(body).type)).toEqual([
    'incoming-call-start-event',
    'incoming-call-connect-event',
    'incoming-call-end-event',
  ]);
  expect(await openCalls()).toBe(0);
});

test('a call without a lease is charged for no time that nobody has seen', async () => {
  const active = await activeCall({ ...voice, workerId: '00000000-0000-4000-8000-00000000beef' });
  house.clock.advance(600);
  expect(await new Reaper(house.env).check(0)).toBe(1);
  expect(await cdrsOf(active.id)).toMatchObject([{ duration: 0 }]);
});

test('one call whose end cannot be written does not keep the others of a lost process open, and its lease stays', async () => {
  const gone = { ...voice, workerId: '00000000-0000-4000-8000-00000000bad0' };
  await heartbeat(house.env, gone.workerId);
  const [bad, good] = [await activeCall(gone), await activeCall(gone)];
  const { pool } = house.env;
  await pool.query(`alter table cdrs_in add constraint bad_call check (call_id <> '${bad.id}') not valid`);
  const reaper = new Reaper(house.env);
  const reap = async (from: number) => {
    let ended = 0;
    for (let at = from; at <= from + 9000; at += 3000) {
      await heartbeat(house.env, voice.workerId);
      ended += await reaper.check(at);
    }
    return ended;
  };
  expect(await reap(0)).toBe(1);
  expect(await cdrsOf(good.id)).toHaveLength(1);
  await pool.query('alter table cdrs_in drop constraint bad_call');
  house.clock.advance(3600);
  expect(await reap(10_000)).toBe(1);
  expect(await cdrsOf(bad.id)).toMatchObject([{ duration: 0 }]);
  expect(await openCalls()).toBe(0);
});
