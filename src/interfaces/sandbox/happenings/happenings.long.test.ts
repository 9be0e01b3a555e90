/** What a test can see of what happened in its sandbox, and the ways to move its clock. */
import { expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { didItem } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { VerificationClient } from '../../../../test/support/verification-client.ts';
import { createApplication } from '../../verification/application.writes.ts';
import { faultsOf } from '../control-faults.ts';
import { blankBody, blankPath } from './blank-secrets.ts';

const shop = useOpened(() => openShop());

async function control(path: string, body?: object, key = shop.key) {
  const response = await checkedFetch(`${shop.url}/sandbox/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('requests are shown with their responses, to their account, without secrets', async () => {
  const other = await shop.addAccount();
  await other.client.get('/balance');
  await shop.client.get('/balance');
  const { key, secret } = await createApplication(shop.env, shop.accountId, { name: 'web' });
  const client = new VerificationClient(shop.url, { key, secret: secret.reveal() });
  const { body } = await client.start({ destination: '+4915112345678', delivery_method: 'sms' });
  await runDueJobs(shop.env);
  await client.report(body.data?.id ?? '', '123456');
  const { requests } = (await control('/requests')).body;
  expect(requests).toMatchObject([
    {
      method: 'PATCH',
      status: 422,
      request: { data: { code: '***' } },
      response: { errors: [{ code: 'code_invalid' }] },
    },
    { method: 'POST', path: '/api/v1/verifications', request: { data: { destination: '+4915112345678' } } },
    { method: 'GET', path: '/v3/balance', status: 200, request: null, response: { data: { type: 'balances' } } },
  ]);
  expect((await control('/requests', undefined, other.key)).body.requests).toHaveLength(1);
});

test('a request that a fault has met is shown too', async () => {
  const { key, client, accountId } = await shop.addAccount();
  await faultsOf(shop.env).add(
    accountId,
    { match: {}, action: { status: 503 }, times: 1, probability: 1, seed: null },
    shop.clock.now(),
  );
  expect((await client.get('/balance')).status).toBe(503);
  expect((await control('/requests', undefined, key)).body.requests).toMatchObject([{ status: 503 }]);
});

test('a response waits until there is something', async () => {
  const { accountId: _, key, client } = await shop.addAccount();
  const waiting = control('/requests?wait=30', undefined, key);
  await client.get('/balance');
  expect((await waiting).body.requests).toMatchObject([{ path: '/v3/balance' }]);
  expect((await control('/requests?since=yesterday')).status).toBe(422);
  const later = new Date(shop.clock.now().getTime() + 1).toISOString();
  expect((await control(`/requests?since=${later}`, undefined, key)).body.requests).toEqual([]);
});

test('callbacks and the timeline show what happened, and what comes next', async () => {
  const receiver = await startReceiver(500);
  try {
    await shop.stock('london', 1);
    const more = { callback_url: `${receiver.url}/`, callback_method: 'post' };
    const { resource } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
    await runDueJobs(shop.env);
    const { deliveries } = (await control('/deliveries')).body;
    expect(deliveries).toMatchObject([{ kind: 'orders', status: 'pending', attempts: 1, last_status: 500 }]);
    const { happened, next } = (await control('/timeline')).body;
    const texts = happened
      .filter(({ id }: { id: string }) => id === resource.id)
      .map(({ text }: { text: string }) => text);
    expect(texts).toEqual([expect.stringMatching(/ is ordered$/), expect.stringMatching(/ is completed$/)]);
    expect(happened.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['request', 'callback']));
    expect(next).toContainEqual({ at: deliveries[0].next_attempt_at, task: 'deliveries.attempt', count: 1 });
  } finally {
    await receiver.close();
  }
});

test('the clock runs to a moment, and until nothing more falls due', async () => {
  const receiver = await startReceiver(500);
  try {
    await shop.stock('london', 1);
    const more = { callback_url: `${receiver.url}/`, callback_method: 'post' };
    await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
    const moment = new Date(shop.clock.now().getTime() + 5_500).toISOString();
    expect((await control('/clock', { to: moment })).body.now).toBe(moment);
    expect(receiver.received).toHaveLength(1);
    await control('/clock', { until: 'idle', within_seconds: 700 });
    // Attempts after one minute and after ten more; the one after half an hour is further away.
    expect(receiver.received).toHaveLength(3);
    for (const body of [{}, { to: moment }, { to: 'soon' }, { until: 'idle', advance_seconds: 1 }]) {
      expect((await control('/clock', body)).status, JSON.stringify(body)).toBe(422);
    }
  } finally {
    await receiver.close();
  }
});

test.each([
  ['{"password":"x","data":[{"api_key":"y","name":"z"}]}', '{"password":"***","data":[{"api_key":"***","name":"z"}]}'],
  ['{"code":"481516"}', '{"code":"***"}'],
  ['{"code":"100"}', '{"code":"100"}'],
  ['not JSON', null],
  ['', null],
])('the body %s is kept as %s', (text, kept) => {
  expect(blankBody(text)).toBe(kept);
});

test('keys in a query are blanked', () => {
  expect(blankPath('/v3/dids?api_key=abc&page=2')).toBe('/v3/dids?api_key=***&page=2');
});
