/** A customer's whole way: buy a number, make a trunk, route the number, take a call, hear of it, export it. */

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVoice, type VoiceService } from '../../src/business/voice/voice.ts';
import { checkedFetch } from '../support/checked-fetch.ts';
import { expectDescribed } from '../support/described-callbacks.ts';
import { runDueJobs } from '../support/environment.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openShop, type Shop } from '../support/shop.ts';

let shop: Shop;
let receiver: Receiver;
let service: VoiceService;
beforeAll(async () => {
  receiver = await startReceiver();
  shop = await openShop({ account: { balance: '100', callEvents: { url: `${receiver.url}/events`, gzip: false } } });
  await shop.stock('london', 5);
  service = await startVoice(shop.env);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await shop.close();
});

const control = async (path: string, body: object) => {
  const response = await checkedFetch(`${shop.url}/sandbox/v1${path}`, {
    method: 'POST',
    headers: { 'api-key': shop.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return JSON.parse(await response.text());
};

test('from an order to a call, its events and its CDR', async () => {
  await shop.postOrder([{ type: 'did_order_items', attributes: { sku_id: shop.skus.london } }]);
  await runDueJobs(shop.env);
  const [did] = (await shop.client.get('/dids')).resources;
  const number = String(did?.attributes.number);
  const silent = await control('/calls', { did_number: number, src_number: '15550100' });
  expect(silent).toMatchObject({ status: 'failed', disconnect_code: 404, attempts: [] });

  const sip = {
    type: 'sip_configurations',
    attributes: { host: 'sip.example.net', codec_ids: [9], username: '+{DID}' },
  };
  const trunk = { data: { type: 'voice_in_trunks', attributes: { name: 'hq', configuration: sip } } };
  const { id: trunkId } = (await shop.client.post('/voice_in_trunks', trunk)).resource;
  const link = { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunkId } } };
  const routed = await shop.client.patch(`/dids/${did?.id}`, {
    data: { id: did?.id, type: 'dids', relationships: link },
  });
  expect(routed.status).toBe(200);
  expect((await shop.client.delete(`/voice_in_trunks/${trunkId}`)).status).toBe(422);

  const script = { outcomes: [{ code: 200, ring_seconds: 1 }], talk_seconds: 20 };
  const call = await control('/calls', { did_number: number, src_number: '15550100', script });
  expect(call).toEqual({
    id: call.id,
    status: 'completed',
    disconnect_code: 200,
    attempts: [{ voice_in_trunk_id: trunkId, code: 200 }],
  });
  await expect.poll(() => receiver.received.length).toBe(3);
  const events = receiver.received.map(({ body }) => JSON.parse(body));
  expectDescribed(receiver.received);
  expect(events.map(({ type, id }) => [type, id])).toEqual([
    ['incoming-call-start-event', call.id],
    ['incoming-call-connect-event', call.id],
    ['incoming-call-end-event', call.id],
  ]);
  expect(events[2].attributes).toMatchObject({ duration: 20, did_number: number, src_number: '15550100' });

  await control('/clock', { advance_seconds: 60 });
  const filters = { from: '2026-06-15 00:00:00', to: '2026-06-15 12:00:30', did_number: number };
  const wish = { data: { type: 'exports', attributes: { export_type: 'cdr_in', filters } } };
  const { id: exportId } = (await shop.client.post('/exports', wish)).resource;
  await runDueJobs(shop.env);
  const { url } = (await shop.client.get(`/exports/${exportId}`)).resource.attributes;
  const file = await checkedFetch(String(url), { headers: { 'api-key': shop.key } });
  const lines = gunzipSync(Buffer.from(await file.arrayBuffer()))
    .toString()
    .trim()
    .split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toContain(`sip:+${number}@sip.example.net`);
});

test('stopping ends the calls that are up and still tells it', async () => {
  const [did] = (await shop.client.get('/dids')).resources;
  const script = { outcomes: [{ code: 200 }], talk_seconds: null };
  const call = await control('/calls', { did_number: did?.attributes.number, src_number: '1', script });
  expect(call.status).toBe('answered');
  await service.stop();
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '{}')).toMatchObject({
    type: 'incoming-call-end-event',
    id: call.id,
  });
  service = await startVoice(shop.env);
});
