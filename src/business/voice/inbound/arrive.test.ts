/** Inbound calls from their arrival to their end: routed, rerouted, refused, charged. */
import { describe, expect, test } from 'vitest';
import { held, useInboundCalls, withEvents } from '../../../../test/support/use-inbound-calls.ts';
import { hangUp } from '../disconnect-codes.ts';
import { endCallById } from '../end-elsewhere.ts';
import { simulateInbound } from '../simulate.ts';

const { house, telephony, voice, call, cdrsOf, eventsOf, openCalls, balanceOf, routedNumber } = useInboundCalls();

describe('an answered call', () => {
  test('tells start, connect and end exactly, and leaves one CDR and no channel', async () => {
    const { number, trunkId, accountId } = await routedNumber({ name: 'hq' });
    const { call: endedCall, status } = await call(number, { outcomes: [{ code: 200, ring_seconds: 2 }] });
    expect(status).toBe('completed');
    const legId = endedCall.attempts[0]?.callId;
    const common = { did_number: number, src_number: '15550100', time_start: '2026-06-15T12:00:00.000437+00:00' };
    const connected = { ...common, time_connect: '2026-06-15T12:00:02.000437+00:00', call_id: legId };
    expect(await eventsOf(endedCall.id)).toEqual([
      { type: 'incoming-call-start-event', id: endedCall.id, attributes: common },
      { type: 'incoming-call-connect-event', id: endedCall.id, attributes: connected },
      {
        type: 'incoming-call-end-event',
        id: endedCall.id,
        attributes: { ...connected, time_end: '2026-06-15T12:00:32.000437+00:00', duration: 30 },
      },
    ]);
    expect(endedCall.id).toMatch(/^10-[0-9A-F]{8}-[0-9A-F]{16}-[0-9A-F]{8}$/);
    expect(await cdrsOf(endedCall.id)).toMatchObject([
      {
        ...{ account_id: accountId, attempt: 1, is_last: true, success: true, duration: 30, did_number: number },
        ...{ disconnect_code: 200, response: 'Bye', disconnect_initiator: 'Origination', voice_in_trunk_id: trunkId },
        ...{ voice_in_trunk_name: 'hq', destination: `sip:${number}@sip.example.net:5060`, leg_call_id: legId },
      },
    ]);
    expect(await openCalls()).toBe(0);
  });

  test('shows the caller as the trunk wants it', async () => {
    const { number } = await routedNumber({ cli_format: 'e164', cli_prefix: '+' });
    const { call: endedCall } = await simulateInbound(
      voice,
      { didNumber: number, srcNumber: '+442079460958' },
      { outcomes: [{ code: 200 }], talk_seconds: 1 },
    );
    expect(endedCall.attempts[0]?.callerId).toBe('+442079460958');
    expect(endedCall.srcNumber).toBe('+442079460958');
  });

  test('without a stream tells nobody', async () => {
    const accountId = await telephony.account();
    const { number } = await telephony.did(accountId, { voice_in_trunk_id: await telephony.trunk(accountId) });
    const { call: endedCall } = await call(number);
    expect(await eventsOf(endedCall.id)).toEqual([]);
  });

  test('goes to the CDR stream too, with every member of the contract', async () => {
    const { accountId, number } = await routedNumber();
    await house.env.db
      .insertInto('call_event_streams')
      .values({ account_id: accountId, stream: 'voice_in_cdr', url: 'http://127.0.0.1:9/cdr' })
      .execute();
    const { call: endedCall } = await call(number);
    const [cdr] = await eventsOf(endedCall.id, 'voice_in_cdr');
    expect(cdr).toMatchObject({
      type: 'inbound-cdr',
      attributes: {
        local_tag: endedCall.id,
        duration: 30,
        success: true,
        is_last_cdr: true,
        routing_attempt: 1,
        disconnect_initiator: 3,
        metered_channels_amount: '0.0',
      },
    });
    expect(Object.keys(cdr.attributes)).toHaveLength(25 + 3 * 7 + 2 * 6);
  });
});

describe('rerouting', () => {
  async function group(...members: object[]) {
    const accountId = await telephony.account(withEvents);
    const groupId = await telephony.trunkGroup(accountId);
    const trunks: string[] = [];
    for (const [priority, sip] of members.entries()) {
      trunks.push(
        await telephony.trunk(accountId, { priority, voice_in_trunk_group_id: groupId, ringing_timeout: 20 }, sip),
      );
    }
    const { number } = await telephony.did(accountId, { voice_in_trunk_group_id: groupId });
    return { number, trunks };
  }

  test('tries the next member on a listed code; each attempt has its CDR and its own Call-ID', async () => {
    const { number, trunks } = await group({ rerouting_disconnect_code_ids: [90] }, {});
    const { call: endedCall } = await call(number, { outcomes: [{ code: 486, ring_seconds: 3 }, { code: 200 }] });
    const cdrs = await cdrsOf(endedCall.id);
    expect(cdrs).toMatchObject([
      {
        attempt: 1,
        voice_in_trunk_id: trunks[0],
        disconnect_code: 486,
        success: false,
        is_last: false,
        disconnect_initiator: 'Destination',
      },
      { attempt: 2, voice_in_trunk_id: trunks[1], disconnect_code: 200, success: true, is_last: true, duration: 30 },
    ]);
    expect(new Set(cdrs.map((cdr) => cdr.leg_call_id)).size).toBe(2);
    const [, connect, end] = await eventsOf(endedCall.id);
    expect([connect.attributes.call_id, end.attributes.call_id]).toEqual([cdrs[1]?.leg_call_id, cdrs[1]?.leg_call_id]);
  });

  test('passes over trunks of protocols that are not supported, whatever their list says', async () => {
    const { number, trunks } = await group({}, {}, {});
    const keep = (type: string, ids: string[]) =>
      house.env.pool.query('update voice_in_trunks set configuration_type = $1 where id = any($2)', [type, ids]);
    await keep('iax2_configurations', trunks.slice(0, 1));
    await keep('h323_configurations', trunks.slice(1, 2));
    const { call: endedCall, status } = await call(number);
    expect(status).toBe('completed');
    expect(await cdrsOf(endedCall.id)).toMatchObject([
      { disconnect_code: 488, disconnect_initiator: 'Switch', destination: `iax:${number}@sip.example.net:5060` },
      { disconnect_code: 488, disconnect_initiator: 'Switch', is_last: false },
      { disconnect_code: 200, voice_in_trunk_id: trunks[2], is_last: true },
    ]);

    await keep('iax2_configurations', trunks);
    const refused = await call(number);
    expect([refused.status, refused.call.state, refused.call.disconnect?.code]).toEqual(['failed', 'ended', 488]);
    expect((await cdrsOf(refused.call.id)).map((cdr) => cdr.disconnect_code)).toEqual([488, 488, 488]);
    expect(await openCalls()).toBe(0);
  });

  test('ends on a code that is not listed', async () => {
    const { number } = await group({ rerouting_disconnect_code_ids: [84] }, {});
    const { call: endedCall, status } = await call(number, { outcomes: [{ code: 486 }] });
    expect([status, endedCall.attempts.length, endedCall.disconnect?.code]).toEqual(['failed', 1, 486]);
    expect((await eventsOf(endedCall.id)).at(-1).attributes).toMatchObject({ time_connect: null, duration: 0 });
  });

  test('follows the ringing timeout', async () => {
    const { number } = await group(
      { rerouting_disconnect_code_ids: [1505] },
      { rerouting_disconnect_code_ids: [1505] },
    );
    const { call: endedCall } = await call(number, { outcomes: [{ code: 'timeout' }] });
    expect(endedCall.attempts.map(({ disconnect }) => disconnect?.code)).toEqual([1505, 1505]);
    expect(endedCall.timeEnd?.toISOString()).toBe('2026-06-15T12:00:40.000Z');
  });
});

describe('refused', () => {
  test.each<[string, object, number]>([
    ['a number whose time is over', { expires_at: new Date('2026-06-15T12:00:00Z') }, 403],
    ['one that waits for registration', { awaiting_registration: true }, 403],
    ['a terminated one', { terminated: true }, 403],
    ['one the operator blocked', { blocked_by_staff: true }, 403],
    ['one that points nowhere', { voice_in_trunk_id: null }, 404],
  ])('%s', async (_, columns, code) => {
    const { number } = await routedNumber({}, {}, columns);
    const { call: endedCall, status } = await call(number);
    expect([status, endedCall.disconnect?.code, endedCall.attempts.length]).toEqual(['failed', code, 0]);
  });

  test('a number nobody has, and one that is gone', async () => {
    expect((await call('99000000001')).call.disconnect?.code).toBe(404);
    await house.env.pool.query(`select ensure_month_partition('did_history', $1)`, [house.clock.now()]);
    await house.env.db
      .insertInto('did_history')
      .values({
        account_id: await telephony.account(),
        did_number: '99000000002',
        action: 'removed',
        method: 'system',
        created_at: house.clock.now(),
      })
      .execute();
    expect((await call('99000000002')).call.disconnect?.code).toBe(410);
  });

  test('an account without money', async () => {
    const accountId = await telephony.account({ balance: '0' });
    const { number } = await telephony.did(accountId, { voice_in_trunk_id: await telephony.trunk(accountId) });
    expect((await call(number)).call.disconnect?.code).toBe(402);
  });
});

test('forwarding to a telephone number is charged to the ledger', async () => {
  const accountId = await telephony.account({ balance: '1' });
  await house.env.db
    .insertInto('voice_rates')
    .values({ kind: 'pstn_forwarding', prefix: '4420', per_minute: '0.5', initial_interval: 60, next_interval: 30 })
    .execute();
  const { number } = await telephony.did(accountId, {
    voice_in_trunk_id: await telephony.pstnTrunk(accountId, '442037691880'),
  });
  const { call: endedCall } = await call(number, { talk_seconds: 80 });
  expect(await cdrsOf(endedCall.id)).toMatchObject([{ pstn_amount: '0.7500', destination: 'tel:+442037691880' }]);
  expect(await balanceOf(accountId)).toBe('0.2500');
});

test('a hang-up from two sides ends the call once', async () => {
  const { number } = await routedNumber();
  const { call: active } = await call(number, held);
  const ends = await Promise.all(
    [1, 2, 3].map(() => endCallById(house.env, active.id, hangUp, () => house.clock.now())),
  );
  expect(ends.filter((endedCall) => endedCall !== null)).toHaveLength(1);
  expect(await cdrsOf(active.id)).toHaveLength(1);
  expect(await eventsOf(active.id)).toHaveLength(3);
});
