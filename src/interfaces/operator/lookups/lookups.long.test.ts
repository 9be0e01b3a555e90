/**
 * Look-ups over real calls, callbacks and requests: found by number, part, reference, caller and status; dry runs;
 * retries.
 */
import { expect, test } from 'vitest';
import { createDialers } from '../../../../test/support/dialers.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { createTelephony } from '../../../../test/support/telephony.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { createCarrier } from '../../../business/voice/carriers/carriers.ts';
import { createRouteFinder } from '../../../business/voice/carriers/find-routes.ts';
import { addRoute, setCarrierRate } from '../../../business/voice/carriers/routes.ts';
import { hangUp } from '../../../business/voice/disconnect-codes.ts';
import { later } from '../../../business/voice/moment.ts';
import { placeCall } from '../../../business/voice/outbound/place-call.ts';
import { setVoiceRate } from '../../../business/voice/rates.ts';
import { voiceOf } from '../../../business/voice/voice.ts';

const shop = useOpened(() => openShop({ server: { requestLogDays: 7 } }));
const operator = useMade(() => addOperator(shop));

type Record = { id: string; attributes: { [name: string]: unknown } };
const list = async (path: string) => (await operator.client.get(path)).resources as Record[];
const attributesOf = async (path: string) => (await list(path)).map(({ attributes }) => attributes);

test('outbound calls: dry run, the call that is up, and its CDR by the first digits', async () => {
  const { env } = shop;
  const telephony = await createTelephony(env);
  const customer = createDialers(shop, telephony);
  const caller = await customer();
  const dryRun = async (from: string, to: string) => {
    const query = new URLSearchParams({ trunk: caller.trunkId, from, to });
    return JSON.parse((await operator.client.get(`/outbound_routing?${query}`)).text);
  };
  expect(await dryRun(caller.number, '7#4930123')).toMatchObject({ decision: 'refused', code: 404 });
  await setVoiceRate(env, { kind: 'termination', prefix: '49', perMinute: '0.6', country: 'Germany' });
  expect(await dryRun(caller.number, '7#4930123')).toMatchObject({ decision: 'refused', code: 503, carriers: [] });
  for (const [name, priority] of [
    ['second', 20],
    ['first', 10],
  ] as const) {
    await createCarrier(env, { name, host: `${name}.example.net` });
    await addRoute(env, { carrier: name, prefix: '49', priority, weight: 1 });
    await setCarrierRate(env, name, { prefix: '', perMinute: '0.1' });
  }
  expect(await dryRun(caller.number, '7#4930123')).toMatchObject({
    decision: 'routed',
    src_number: caller.number,
    destination: '4930123',
    rate: { per_minute: '0.600000', country: 'Germany' },
    carriers: [{ name: 'first', per_minute: '0.100000' }, { name: 'second' }],
  });
  expect(await dryRun('15550100', '7#4930123')).toMatchObject({
    decision: 'refused',
    reason: 'Caller id is not allowed',
  });

  const voice = await voiceOf(env);
  const leg = { sourcePort: 5060, sourceProtocol: 'UDP', callId: 'a@pbx' } as const;
  const placed = await placeCall(voice, { ...caller.request, ...leg }, createRouteFinder(env));
  if (!('live' in placed)) throw new Error(JSON.stringify(placed));
  const [up] = await attributesOf(`/calls?filter[account.id]=${caller.accountId}`);
  expect(up).toMatchObject({ direction: 'out', src_number: caller.number, dst_number: '7#4930123' });
  const at = env.clock.now();
  await placed.live.answered(at);
  await placed.live.end(hangUp, later(at, 60));
  await voice.stop();
  expect(await attributesOf(`/calls?filter[account.id]=${caller.accountId}`)).toEqual([]);
  const byDigits = await attributesOf(`/cdrs_out?filter[dst_number]=${encodeURIComponent('7#49*')}`);
  expect(byDigits).toMatchObject([{ call_id: up?.call_id, duration: 60, carrier_name: 'first', margin: '0.5' }]);
  expect(await attributesOf(`/cdrs_out?filter[call_id]=${up?.call_id}`)).toEqual(byDigits);
  expect(await attributesOf('/cdrs_out?filter[dst_number]=49*')).toEqual([]);
});

test('numbers by part and state, their history, and one search over everything', async () => {
  const [didId] = await shop.buyDids('london');
  const { number } = (await shop.client.get(`/dids/${didId}`)).resource.attributes as { number: string };
  const part = number.slice(2, 7);
  const found = await attributesOf(`/numbers?filter[number_contains]=${part}&filter[state]=active`);
  expect(found.map((each) => each.number)).toContain(number);
  expect(await attributesOf(`/numbers?filter[number]=${number}&filter[state]=blocked,expired,terminated`)).toEqual([]);
  expect(await attributesOf(`/numbers?filter[number_contains]=${encodeURIComponent('%_%')}`)).toEqual([]);
  expect(await attributesOf(`/number_history?filter[number]=${number}`)).toMatchObject([{ action: 'assigned' }]);

  const [order] = await list(`/orders?filter[account.id]=${shop.accountId}`);
  const search = async (q: string, client = operator.client) =>
    JSON.parse((await client.get(`/search?q=${encodeURIComponent(q)}`)).text).results as { type: string; id: string }[];
  const seen = (results: { type: string; id: string }[]) => results.map(({ type, id }) => `${type} ${id}`);
  expect(seen(await search(`+${number}`))).toEqual([`numbers ${didId}`]);
  expect(seen(await search(String(order?.attributes.reference).slice(2).toLowerCase()))).toContain(
    `orders ${order?.id}`,
  );
  expect(seen(await search(shop.accountId))).toEqual([`accounts ${shop.accountId}`]);
  for (const length of [8, 9, 11, 22, 35])
    expect(seen(await search(String(order?.id).slice(0, length).toUpperCase()))).toEqual([`orders ${order?.id}`]);
  expect(seen(await search(String(order?.id).replaceAll('-', '').slice(0, 14)))).toEqual([`orders ${order?.id}`]);
  expect(seen(await search(operator.email))).toEqual([`operators ${operator.id}`]);
  const support = await addOperator(shop, 'support');
  expect(await search(operator.email, support.client)).toEqual([]);
  expect((await operator.client.get('/search?q=ab')).status).toBe(400);
});

test('requests are kept with their caller, masked, and found by account, key and status', async () => {
  await shop.client.get('/dids/4915112345678');
  await shop.client.get('/countries');
  await shop.client.with({ key: 'a key that nobody has, but logged?' }).get('/countries');
  const query = `/api_requests?filter[account.id]=${shop.accountId}&filter[status]=4xx&filter[caller_kind]=api_key`;
  await expect.poll(async () => (await attributesOf(query)).map(({ path }) => path)).toContain('/v3/dids/[masked]');
  const [entry] = (await attributesOf(query)).filter(({ path }) => path === '/v3/dids/[masked]');
  expect(entry).toMatchObject({ method: 'GET', route: '/v3/dids/:id', status: 404, address: '127.0.0.1' });
  // The last of the three requests may be written a moment later.
  const refused = '/api_requests?filter[status]=401&filter[route]=/v3/countries';
  await expect.poll(() => attributesOf(refused)).toMatchObject([{ caller_kind: null, caller_id: null }]);
  const ofKey = await attributesOf(`/api_requests?filter[caller_id]=${entry?.caller_id}&filter[status]=200`);
  expect(ofKey.map(({ path }) => path)).toContain('/v3/countries');
  const { rows } = await shop.env.pool.query('select count(*)::int as n from api_requests t where t::text ~ $1', [
    '4915112345678|a key that nobody',
  ]);
  expect(rows).toEqual([{ n: 0 }]);
});

test('all callbacks of a time that failed are sent again; those to be sent are given up', async () => {
  const { env } = shop;
  const at = (minute: number) => new Date(env.clock.now().getTime() + minute * 60_000);
  const common = {
    account_id: shop.accountId,
    kind: 'orders',
    url: 'http://u:p@127.0.0.1:9/',
    method: 'post',
  } as const;
  const row = (minute: number, status: 'failed' | 'delivered') => ({
    ...common,
    ...{ status, payload: '{}', attempts: 10, created_at: at(minute), finished_at: at(minute) },
  });
  const rows = [row(1, 'failed'), row(2, 'failed'), row(3, 'failed'), row(2, 'delivered')];
  await env.db.insertInto('deliveries').values(rows).execute();
  const act = (attributes: object) =>
    operator.client.post('/bulk_actions', {
      data: {
        ...{ type: 'bulk_actions', attributes: { subject: 'deliveries', reason: 'receiver is back', ...attributes } },
        relationships: { account: { data: { type: 'accounts', id: shop.accountId } } },
      },
    });
  const retried = await act({ action: 'retry', since: at(2).toISOString(), until: at(3).toISOString() });
  expect(retried.resource.attributes).toMatchObject({ count: 2, actor: operator.email });
  const pending = await attributesOf(`/deliveries?filter[status]=pending&filter[account.id]=${shop.accountId}`);
  expect(pending).toMatchObject([
    { attempts: 0, url: 'http://…@127.0.0.1:9/' },
    { attempts: 0, finished_at: null },
  ]);
  // By the receiver's host, or the beginning of it; what is before the host is a password.
  expect(await attributesOf('/deliveries?filter[host]=127.0.0.1:9')).toHaveLength(4);
  expect(await attributesOf('/deliveries?filter[host]=127.')).toHaveLength(4);
  expect(await attributesOf('/deliveries?filter[host]=u')).toEqual([]);
  expect(await attributesOf('/deliveries?filter[host]=0.0.1')).toEqual([]);
  expect((await act({ action: 'discard' })).resource.attributes).toMatchObject({ count: 2 });
  expect(await attributesOf('/deliveries?filter[status]=dropped')).toHaveLength(2);
  expect((await act({ action: 'retry', task: 'orders.fulfil' })).status).toBe(422);
  const [audit] = await attributesOf('/audit_entries?filter[action]=delivery.discarded');
  expect(audit).toMatchObject({ reason: 'receiver is back', after: { count: 2 }, subject_type: 'bulk_actions' });
});

test('a method that does not exist is 405, also where the framework does not know it', async () => {
  const url = `${shop.url}/operator/v1/accounts`;
  const headers = { 'api-key': operator.key };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(405);
  expect((await fetch(url, { method: 'PROPFIND', headers })).status).toBe(405);
});
