/** What operators and customers see of a call's messages. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useOpened } from '../../../test/support/use.ts';
import { arrive } from '../../business/voice/inbound/arrive.ts';
import { simulateInbound } from '../../business/voice/simulate.ts';
import { voiceOf } from '../../business/voice/voice.ts';

const server = useOpened(() => startTestServer());

const sip = (first: string, callId: string) => Buffer.from(`${first}\r\nCall-ID: ${callId}\r\n\r\n`);
const here = { transport: 'UDP', address: '198.51.100.1', port: 5060 } as const;

test('operators see every message; the customer sees the own side in full, and nothing of others', async () => {
  const { env, url } = server;
  const telephony = await createTelephony(env);
  const accountId = await telephony.account({ name: 'Acme', ...login });
  await telephony.account({ name: 'Other', email: 'other@acme.test', password: login.password });
  const trunkId = await telephony.trunk(accountId, { name: 'office' });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: trunkId });
  const voice = await voiceOf(env);
  voice.recorder.message(
    'in',
    sip(`INVITE sip:${number}@h SIP/2.0`, 'a@carrier'),
    { ...here, address: '192.0.2.1' },
    here,
  );
  const arrived = await arrive(voice, {
    didNumber: number,
    srcNumber: '1555',
    callId: 'a@carrier',
    carrier: { id: trunkId, name: 'North' },
  });
  if (arrived.refusal !== null) throw new Error('refused');
  const legB = arrived.live.call.attempts.at(-1)?.callId ?? '';
  voice.recorder.message('out', sip('INVITE sip:pbx SIP/2.0', legB), { ...here, address: '203.0.113.5' }, here);
  await env.db.updateTable('dids').set({ blocked_by_staff: true }).where('number', '=', number).execute();
  await simulateInbound(
    voice,
    { didNumber: number, srcNumber: '1556' },
    { outcomes: [{ code: 200 }], talk_seconds: 1 },
  );
  await voice.stop();

  const { client } = await addOperator(server, 'read-only');
  const found = await client.get(`/call_traces?filter[call_id]=${encodeURIComponent(legB)}&include=entries,account`);
  expect(found.status).toBe(200);
  expect(found.resources).toHaveLength(1);
  expect(found.resources[0]?.attributes).toMatchObject({
    carrier_name: 'North',
    src_number: '1555',
    trunk_name: 'office',
  });
  expect(found.included.map(({ attributes }) => attributes.peer)).toContain('192.0.2.1:5060');
  const refusals = await client.get(`/call_refusals?filter[number]=${number}`);
  expect(refusals.resources.map(({ attributes }) => attributes)).toMatchObject([
    { rule: 'number_blocked', count: 1, source: '' },
  ]);

  const panel = new PanelClient(url);
  await panel.signIn();
  const list = await panel.get(`/panel/v1/call_traces?filter[number]=${number}&filter[refused]=false`);
  const [trace] = list.resources;
  const own = await panel.get(`/panel/v1/call_traces/${trace?.id}?include=entries`);
  const shown = own.included.map(({ attributes }) => attributes);
  expect(shown).toMatchObject([
    { kind: 'message', leg: 0, way: 'in', first_line: `INVITE sip:${number}@h SIP/2.0`, peer: null, text: null },
    { kind: 'reason', text: 'routed to a single trunk', leg: null },
    { kind: 'reason' },
    { kind: 'reason', text: 'channel: included' },
    { kind: 'message', leg: 1, way: 'out', peer: '203.0.113.5:5060', text: expect.stringContaining('INVITE sip:pbx') },
    { kind: 'reason' },
  ]);
  expect(JSON.stringify(own.body)).not.toMatch(/North|192\.0\.2\.1/);
  const refused = await panel.get('/panel/v1/call_refusals');
  expect(refused.resources).toHaveLength(1);

  const stranger = new PanelClient(url);
  await stranger.signIn({ email: 'other@acme.test', password: login.password });
  expect((await stranger.get('/panel/v1/call_traces')).resources).toEqual([]);
  expect((await stranger.get(`/panel/v1/call_traces/${trace?.id}`)).status).toBe(404);
  expect((await stranger.get('/panel/v1/call_refusals')).resources).toEqual([]);
});
