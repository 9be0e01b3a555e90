/**
 * What a driver of calls may rely on, whatever happens at the same time: the order of reports, told ends, real times.
 */
import { expect, test } from 'vitest';
import { useInboundCalls, withEvents } from '../../../test/support/use-inbound-calls.ts';
import type { Disconnect } from './call.ts';
import { hangUp } from './disconnect-codes.ts';
import { endCallById } from './end-elsewhere.ts';
import { arrive } from './inbound/arrive.ts';
import { readMoment } from './moment.ts';
import { endCallsOf } from './worker-lease.ts';

const { house, telephony, voice, cdrsOf, eventsOf, openCalls } = useInboundCalls();

const at = (time: string) => readMoment(`2026-06-15T12:00:${time}Z`);
const cancelled: Disconnect = { code: 487, reason: 'Request Terminated', initiator: 'origination' };

/** A call that has just been routed to the first of some trunks, each of which lists 486 for rerouting. */
async function routedCall(...configurations: object[]) {
  const accountId = await telephony.account(withEvents);
  const stream = { account_id: accountId, stream: 'voice_in_cdr' as const, url: 'http://127.0.0.1:9/cdr' };
  await house.env.db.insertInto('call_event_streams').values(stream).execute();
  const groupId = await telephony.trunkGroup(accountId);
  const trunks: string[] = [];
  for (const [priority, sip] of configurations.entries()) {
    const columns = { priority, voice_in_trunk_group_id: groupId };
    trunks.push(await telephony.trunk(accountId, columns, { rerouting_disconnect_code_ids: [90], ...sip }));
  }
  const { number: didNumber } = await telephony.did(accountId, { voice_in_trunk_group_id: groupId });
  const arrived = await arrive(voice, { didNumber, srcNumber: '15550100', at: at('00.000001') });
  if (arrived.refusal !== null) throw new Error(arrived.refusal.reason);
  return { live: arrived.live, trunks };
}

test('each attempt comes with the settings of its trunk, which are not stored with the call', async () => {
  const { live } = await routedCall({ auth_user: 'a', auth_password: 'secret of a' }, { auth_password: 'secret of b' });
  expect(live.target.configuration).toMatchObject({ auth_user: 'a', auth_password: 'secret of a' });
  expect(await live.attemptFailed({ code: 486 }, at('01.000002'))).toBe('rerouted');
  expect(live.target.configuration).toMatchObject({ auth_password: 'secret of b' });
  const { rows } = await house.env.pool.query('select call::text from open_calls where id = $1', [live.call.id]);
  expect(rows[0]?.call).not.toContain('secret of');
  await live.end(cancelled, at('02.000003'));
});

test('CDRs have the times of the messages, the words of the other side and whether there was early media', async () => {
  const { live } = await routedCall({}, {});
  live.ringing();
  live.ringing({ earlyMedia: true });
  live.ringing();
  await live.attemptFailed({ code: 486, reason: 'In a meeting' }, at('01.000002'));
  live.ringing();
  await live.attemptFailed({ code: 408, initiator: 'switch' }, at('05.000003'));
  expect(await cdrsOf(live.call.id)).toMatchObject([
    { disconnect_code: 486, response: 'In a meeting', disconnect_initiator: 'Destination' },
    { disconnect_code: 408, response: 'Request Timeout', disconnect_initiator: 'Switch' },
  ]);
  const shown = (await eventsOf(live.call.id, 'voice_in_cdr')).map(({ attributes }) => attributes);
  expect(shown).toMatchObject([
    {
      ...{ early_media_present: true, legb_disconnect_code: 486, legb_disconnect_reason: 'In a meeting' },
      ...{ time_start: '2026-06-15T12:00:00.000001+00:00', time_end: '2026-06-15T12:00:01.000002+00:00' },
    },
    {
      ...{ early_media_present: false, legb_disconnect_code: null },
      ...{ time_start: '2026-06-15T12:00:01.000002+00:00', time_end: '2026-06-15T12:00:05.000003+00:00' },
    },
  ]);
});

test('a caller who cancels while the next trunk is chosen ends the call, and nothing more is dialled', async () => {
  const { live } = await routedCall({}, {});
  const failed = live.attemptFailed({ code: 486 }, at('01.000000'));
  const ended = live.end(cancelled, at('01.000001'));
  expect(await failed).toBe('ended');
  expect(await ended).toMatchObject({ state: 'ended', disconnect: cancelled });
  expect((await cdrsOf(live.call.id)).map((cdr) => cdr.disconnect_code)).toEqual([486]);
  expect(await openCalls()).toBe(0);
});

test('an answer that crosses the caller’s cancelling is to be hung up', async () => {
  const { live } = await routedCall({});
  const [ended, answered] = [live.end(cancelled, at('01.000000')), live.answered(at('01.000001'))];
  expect([await answered, (await ended)?.timeConnect]).toEqual([false, null]);
  live.ringing();
  expect(await live.end(hangUp, at('02.000000'))).toBeNull();

  const { live: other } = await routedCall({});
  const [first, then] = [other.answered(at('01.000000')), other.end(cancelled, at('01.000001'))];
  expect([await first, (await then)?.timeConnect]).toEqual([false, at('01.000000')]);
  expect(await eventsOf(other.call.id)).toHaveLength(3);
});

test('a call that was ended elsewhere is not routed on, and legs that are registered afterwards are hung up', async () => {
  const { live } = await routedCall({}, {}, {});
  await endCallById(house.env, live.call.id, hangUp, () => at('01.000000'));
  // Whether or not the notification has arrived.
  expect(await live.attemptFailed({ code: 486 }, at('02.000000'))).toBe('ended');
  const told: Disconnect[] = [];
  await expect
    .poll(() => {
      live.carriedBy({ hangUp: (disconnect) => told.push(disconnect) });
      return told[0];
    })
    .toEqual(hangUp);
  expect([await live.answered(at('02.000000')), await live.end(hangUp, at('03.000000'))]).toEqual([false, null]);
  expect(await cdrsOf(live.call.id)).toHaveLength(1);
});

test('a trunk that was deleted after the call arrived is passed over', async () => {
  const { live, trunks } = await routedCall({}, {}, {});
  await house.env.pool.query('delete from voice_in_trunks where id = $1', [trunks[1]]);
  expect(await live.attemptFailed({ code: 486 }, at('01.000000'))).toBe('rerouted');
  expect(live.call.attempts.map(({ trunkId }) => trunkId)).toEqual([trunks[0], trunks[2]]);
  await live.end(cancelled, at('02.000000'));
});

test('an end that the database could not take is written as soon as it can, with its own time', async () => {
  const { live } = await routedCall({});
  await live.answered(at('01.000000'));
  const hold = await house.env.pool.connect();
  await hold.query('begin');
  await hold.query('select from open_calls where id = $1 for update', [live.call.id]);
  const ending = live.end(hangUp, at('11.000000'));
  const cancelEnd = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from open_calls%'`;
  for (let failures = 0; failures < 2; failures++) {
    await expect.poll(async () => (await house.env.pool.query(cancelEnd)).rows.length).toBe(1);
  }
  house.clock.advance(60);
  await hold.query('commit');
  hold.release();
  expect(await ending).toMatchObject({ state: 'ended' });
  expect(await cdrsOf(live.call.id)).toMatchObject([{ duration: 10, success: true }]);
  expect(await openCalls()).toBe(0);
});

test('an end that fails for any other reason is tried again, and a process that stops writes it with its own time', async () => {
  const { live } = await routedCall({});
  await live.answered(at('01.000000'));
  const { pool } = house.env;
  await pool.query(`alter table cdrs_in add constraint no_cdrs check (false) not valid`);
  const ending = live.end(hangUp, at('11.000000'));
  await expect.poll(() => voice.unwrittenEnd(live.call.id)).toMatchObject({ at: at('11.000000') });
  house.clock.advance(600);
  await pool.query(`alter table cdrs_in drop constraint no_cdrs`);
  const ended = await endCallsOf(house.env, voice.workerId, house.clock.now(), ({ id }) => voice.unwrittenEnd(id));
  expect(ended.length + (await cdrsOf(live.call.id)).length).toBeGreaterThan(0);
  await ending;
  expect(await cdrsOf(live.call.id)).toMatchObject([{ duration: 10, success: true }]);
  expect(await openCalls()).toBe(0);
});
