/** Simulated calls through the control interface. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { addFault } from '../../../test/support/faults.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../test/support/telephony.ts';
import { voiceOf } from '../../business/voice/voice.ts';

let server: TestServer;
let telephony: Telephony;
beforeAll(async () => {
  server = await startTestServer({ account: { balance: '10' } });
  telephony = await createTelephony(server.env);
});
afterAll(async () => {
  await (await voiceOf(server.env)).stop();
  await server.close();
});

interface Shown {
  id: string;
  status: string;
  disconnect_code: number | null;
  attempts: { voice_in_trunk_id: string; code: number }[];
}

async function post(path: string, body?: unknown, key = server.key) {
  const response = await checkedFetch(`${server.url}/sandbox/v1${path}`, {
    method: 'POST',
    headers: { 'api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const shown: Shown = JSON.parse(await response.text());
  return { status: response.status, body: shown };
}

async function group() {
  const id = await telephony.trunkGroup(server.accountId);
  const trunks = [
    await telephony.trunk(
      server.accountId,
      { priority: 1, voice_in_trunk_group_id: id },
      { rerouting_disconnect_code_ids: [90] },
    ),
    await telephony.trunk(server.accountId, { priority: 2, voice_in_trunk_group_id: id }),
  ];
  const { number } = await telephony.did(server.accountId, { voice_in_trunk_group_id: id, channels_included_count: 1 });
  return { trunks, number };
}

test('a scripted call is answered by the second trunk', async () => {
  const { trunks, number } = await group();
  const script = { outcomes: [{ code: 486 }, { code: 200, ring_seconds: 2 }], talk_seconds: 30 };
  const { status, body } = await post('/calls', { did_number: number, src_number: '15550100', script });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^10-/),
    status: 'completed',
    disconnect_code: 200,
    attempts: [
      { voice_in_trunk_id: trunks[0], code: 486 },
      { voice_in_trunk_id: trunks[1], code: 200 },
    ],
  });
});

test('a call that stays up holds its channel until it is hung up', async () => {
  const { number } = await group();
  const call = (script?: object) => post('/calls', { did_number: number, src_number: '1', script });
  const up = await call({ outcomes: [{ code: 200 }], talk_seconds: null });
  expect(up.body).toMatchObject({ status: 'answered', disconnect_code: null, attempts: [{ code: 200 }] });
  expect((await call()).body).toMatchObject({ status: 'failed', disconnect_code: 480, attempts: [] });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('trunkline_calls{direction="in",environment="sandbox"} 1');
  server.clock.advance(90);
  const over = await post(`/calls/${up.body.id}/hangup`);
  expect([over.status, over.body.status]).toEqual([200, 'completed']);
  expect((await post(`/calls/${up.body.id}/hangup`)).status).toBe(404);
  const cdr = await server.env.db
    .selectFrom('cdrs_in')
    .select('duration')
    .where('call_id', '=', up.body.id)
    .executeTakeFirst();
  expect(cdr?.duration).toBe(90);
  expect((await call()).body.status).toBe('completed');
});

test('a hang-up may call nothing at all JSON', async () => {
  const { number } = await group();
  const up = await post('/calls', { did_number: number, src_number: '1', script: { talk_seconds: null } });
  const response = await checkedFetch(`${server.url}/sandbox/v1/calls/${up.body.id}/hangup`, {
    method: 'POST',
    headers: { 'api-key': server.key, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
});

test('"timeout" rings until the trunk’s ringing timeout', async () => {
  const { number } = await group();
  const { body } = await post('/calls', {
    did_number: number,
    src_number: '1',
    script: { outcomes: [{ code: 'timeout' }], talk_seconds: 1 },
  });
  expect(body).toMatchObject({ status: 'failed', disconnect_code: 1505, attempts: [{ code: 1505 }] });
});

test.each([
  ['call.rings_forever', '19995550164', { status: 'failed', disconnect_code: 1505 }],
  ['call.drops', '19995550170', { status: 'completed', disconnect_code: 408 }],
] as const)('%s happens on demand, and to the caller %s', async (fault, caller, outcome) => {
  const { number } = await group();
  const call = (src_number: string) => post('/calls', { did_number: number, src_number });
  await addFault(server.env, server.accountId, fault);
  expect((await call('15550100')).body).toMatchObject(outcome);
  expect((await call('15550100')).body).toMatchObject({ status: 'completed', disconnect_code: 200 });
  expect((await call(caller)).body).toMatchObject(outcome);
});

test('another account’s number and call are out of reach', async () => {
  const { number } = await group();
  const other = await server.addAccount();
  const foreign = await post('/calls', { did_number: number, src_number: '1' }, other.key);
  const unowned = await post('/calls', { did_number: '99111111111', src_number: '1' }, other.key);
  expect(foreign.status).toBe(422);
  expect(unowned).toEqual(foreign);
  const up = await post('/calls', { did_number: number, src_number: '1', script: { talk_seconds: null } });
  expect((await post(`/calls/${up.body.id}/hangup`, {}, other.key)).status).toBe(404);
  expect((await post(`/calls/${up.body.id}/hangup`)).status).toBe(200);
});

test.each([
  [{ did_number: 'x', src_number: '1' }],
  [{ src_number: '1' }],
  [{ did_number: '1', src_number: '1', script: { outcomes: [] } }],
  [{ did_number: '1', src_number: '1', script: { outcomes: [{ code: 'busy' }] } }],
  [{ did_number: '1', src_number: '1', script: { talk_seconds: -1 } }],
  [{ did_number: '1', src_number: '1', colour: 'red' }],
])('bad input is refused: %j', async (body) => {
  expect((await post('/calls', body)).status).toBe(422);
});

test.each(['/calls/%00/hangup', '/calls/a%00b/hangup', '/address_verifications/%00/decision'])(
  'NUL in the path names nothing: %s',
  async (path) => {
    expect((await post(path, { action: 'approve' })).status).toBe(404);
  },
);

test.each([
  ['a lone surrogate', '{"did_number":"1","src_number":"1","src_name":"\\ud800"}'],
  ['NUL', '{"did_number":"1","src_number":"1","src_name":"a\\u0000"}'],
  ['no JSON', '{"did_number":'],
])('a body with %s is refused', async (_what, body) => {
  const response = await checkedFetch(`${server.url}/sandbox/v1/calls`, {
    method: 'POST',
    headers: { 'api-key': server.key, 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(400);
});
