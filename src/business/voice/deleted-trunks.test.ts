/** A trunk is deleted through the API of one process while another process carries its calls. */
import { expect, test } from 'vitest';
import { environmentOf, silentLog } from '../../../test/support/environment.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { Changes } from '../../engines/db/changes.ts';
import { connectionOf, createPool } from '../../engines/db/pool.ts';
import type { Disconnect } from './call.ts';
import { endCallsWithoutTrunk } from './end-elsewhere.ts';
import { arrive } from './inbound/arrive.ts';
import { placeCall } from './outbound/place-call.ts';
import { voiceOf } from './voice.ts';

const server = useOpened(() => startTestServer({ account: { balance: '10' } }));
const telephony = useMade(() => createTelephony(server.env));
/** Another process on the same database, which carries the calls. */
const carrying = useOpened(async () => {
  const pool = createPool(connectionOf(server.env.pool), { max: 3 });
  const changes = await Changes.open(pool, silentLog);
  const env = environmentOf('sandbox', pool, changes, server.clock);
  const voice = await voiceOf(env);
  const close = async () => {
    await voice.stop();
    await env.outbound.close();
    await changes.close();
    await pool.end();
  };
  return { voice, close };
});

const gone = { code: 403, reason: 'Forbidden', initiator: 'switch' };

async function inboundCall(route: { voice_in_trunk_id?: string; voice_in_trunk_group_id?: string }) {
  const { id: didId, number: didNumber } = await telephony.did(server.accountId, route);
  const arrived = await arrive(carrying.voice, { didNumber, srcNumber: '15550100' });
  if (arrived.refusal !== null) throw new Error(arrived.refusal.reason);
  const { live } = arrived;
  await live.answered(server.clock.now());
  const hungUp: Disconnect[] = [];
  live.carriedBy({ hangUp: (disconnect) => hungUp.push(disconnect) });
  // A trunk that numbers are routed to cannot be deleted.
  const nowhere = { voice_in_trunk_id: null, voice_in_trunk_group_id: null };
  await server.env.db.updateTable('dids').set(nowhere).where('id', '=', didId).execute();
  return { live, hungUp };
}

const cdrsOf = (table: 'cdrs_in' | 'cdrs_out', callId: string) =>
  server.env.db.selectFrom(table).selectAll().where('call_id', '=', callId).execute();
const openCalls = () => server.env.db.selectFrom('open_calls').select('id').execute();

test('the calls of an inbound trunk end with it, and their legs are hung up where they are carried', async () => {
  const trunkId = await telephony.trunk(server.accountId);
  const { live, hungUp } = await inboundCall({ voice_in_trunk_id: trunkId });
  const other = await inboundCall({ voice_in_trunk_id: await telephony.trunk(server.accountId) });
  server.clock.advance(30);
  expect((await server.client.delete(`/voice_in_trunks/${trunkId}`)).status).toBe(204);
  await expect.poll(() => hungUp).toEqual([gone]);
  expect(await cdrsOf('cdrs_in', live.call.id)).toMatchObject([
    { success: true, duration: 30, disconnect_code: 403, disconnect_initiator: 'Switch', voice_in_trunk_id: trunkId },
  ]);
  expect([other.hungUp, await openCalls()]).toEqual([[], [{ id: other.live.call.id }]]);
  await other.live.end({ code: 200, reason: 'Bye', initiator: 'origination' }, server.clock.now());
});

test('a trunk that is not deleted keeps its calls', async () => {
  const groupId = await telephony.trunkGroup(server.accountId);
  const trunkId = await telephony.trunk(server.accountId, { voice_in_trunk_group_id: groupId });
  const { live, hungUp } = await inboundCall({ voice_in_trunk_group_id: groupId });
  expect((await server.client.delete(`/voice_in_trunks/${trunkId}`)).status).toBe(422);
  expect([hungUp, await openCalls()]).toEqual([[], [{ id: live.call.id }]]);
  // With its group it is.
  expect((await server.client.delete(`/voice_in_trunk_groups/${groupId}`)).status).toBe(204);
  await expect.poll(() => hungUp).toEqual([gone]);
  expect(await cdrsOf('cdrs_in', live.call.id)).toMatchObject([{ disconnect_code: 403, voice_in_trunk_id: trunkId }]);
  expect(await openCalls()).toEqual([]);
});

let network = 0;

/** A call through a trunk that is known by its own network. */
async function outboundCall() {
  network += 1;
  const { number } = await telephony.did(server.accountId);
  await server.env.pool.query(
    `insert into voice_rates (kind, prefix, per_minute) values ('termination', '49', 0.6) on conflict do nothing`,
  );
  const { id: trunkId } = await server.env.db
    .insertInto('voice_out_trunks')
    .values({
      ...{ account_id: server.accountId, name: `dialer ${number}`, created_at: server.clock.now() },
      ...{ on_cli_mismatch_action: 'reject_call', allow_any_did_as_cli: true, authentication_type: 'ip_only' },
      authentication: JSON.stringify({ allowed_sip_ips: [`10.1.${network}.0/24`] }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const request = { sourceIp: `10.1.${network}.5`, digest: null, twilioAccountSid: null, from: number, to: '4930123' };
  const leg = { sourcePort: 5060, sourceProtocol: 'UDP', callId: 'leg-a@pbx' } as const;
  const placed = await placeCall(carrying.voice, { ...request, ...leg });
  if (!('live' in placed)) throw new Error(JSON.stringify(placed));
  const hungUp: Disconnect[] = [];
  placed.live.carriedBy({ hangUp: (disconnect) => hungUp.push(disconnect) });
  return { live: placed.live, trunkId, hungUp };
}

test('the calls of an outbound trunk end with it too', async () => {
  const { live, trunkId, hungUp } = await outboundCall();
  expect((await server.client.delete(`/voice_out_trunks/${trunkId}`)).status).toBe(204);
  await expect.poll(() => hungUp).toEqual([gone]);
  expect(await cdrsOf('cdrs_out', live.call.id)).toMatchObject([{ success: false, disconnect_code: 403 }]);
});

test('calls whose trunk was deleted by a process that died before it ended them are found', async () => {
  const trunkId = await telephony.trunk(server.accountId);
  const left = [await inboundCall({ voice_in_trunk_id: trunkId }), await outboundCall()] as const;
  const kept = [
    await inboundCall({ voice_in_trunk_id: await telephony.trunk(server.accountId) }),
    await outboundCall(),
  ] as const;
  await server.env.db.deleteFrom('voice_in_trunks').where('id', '=', trunkId).execute();
  await server.env.db.deleteFrom('voice_out_trunks').where('id', '=', left[1].trunkId).execute();
  expect(await endCallsWithoutTrunk(server.env)).toBe(2);
  await expect.poll(() => left.map(({ hungUp }) => hungUp)).toEqual([[gone], [gone]]);
  const ids = kept.map(({ live }) => live.call.id).sort();
  expect((await openCalls()).map(({ id }) => id).sort()).toEqual(ids);
});
