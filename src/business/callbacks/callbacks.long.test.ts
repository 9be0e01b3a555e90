/** Callbacks are stored, attempted, retried and logged. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { advanceClock, createTestEnvironment, openOutbound, runDueJobs } from '../../../test/support/environment.ts';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import { useOpened } from '../../../test/support/use.ts';
import { Secret, seal } from '../accounts/secret.ts';
import { attemptDelivery, retryWaits } from './attempt-callback.ts';
import { listDeliveries, replayDelivery, showDelivery } from './callback-log.ts';
import { type Payload, sealSigningKey, signCallback, signWebhook } from './callback-request.ts';
import { type Callback, scheduleCallback } from './schedule-callback.ts';

const house = useOpened(() => createTestEnvironment());
let receiver: Receiver;
let accountId: string;

beforeEach(async () => {
  receiver = await startReceiver();
  accountId = await account({});
});
afterEach(() => receiver.close());

async function account(terms: { features?: string; sealed_callback_secret?: string }): Promise<string> {
  const { env } = house;
  const values = { name: randomUUID(), created_at: env.clock.now(), ...terms };
  return (await env.db.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

async function schedule(change: Partial<Callback> = {}): Promise<string> {
  const { env } = house;
  const id = randomUUID();
  await env.db.transaction().execute((trx) =>
    scheduleCallback(trx, env, {
      accountId,
      kind: 'orders',
      resourceId: id,
      url: `${receiver.url}/hook`,
      method: 'post',
      payload: { id, type: 'orders', status: 'completed' },
      sealedSigningKey: sealSigningKey(env, new Secret('the-api-key')),
      ...change,
    }),
  );
  return id;
}

async function deliveryOf(resourceId: string) {
  const found = (await listDeliveries(house.env, { accountId })).find((one) => one.resource_id === resourceId);
  return found === undefined ? null : showDelivery(house.env, found.id);
}

describe('a callback', () => {
  test('by POST is a signed form, and the response is in the log', async () => {
    const id = await schedule();
    await runDueJobs(house.env);
    const [sent] = receiver.received;
    expect(sent?.method).toBe('POST');
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent?.body).toBe(`id=${id}&status=completed&type=orders`);
    const entries = [{ id, type: 'orders', status: 'completed' }];
    expect(sent?.headers['x-service-signature']).toBe(signCallback('the-api-key', `${receiver.url}/hook`, entries));
    const timestamp = Math.floor(house.clock.now().getTime() / 1000);
    expect(sent?.headers['webhook-timestamp']).toBe(String(timestamp));
    expect(sent?.headers['webhook-signature']).toBe(
      signWebhook('the-api-key', String(sent?.headers['webhook-id']), timestamp, sent?.body ?? ''),
    );
    const logged = await deliveryOf(id);
    expect(logged?.delivery).toMatchObject({ status: 'delivered', attempts: 1, next_attempt_at: null });
    expect(logged?.attempts).toMatchObject([{ attempt: 1, status: 200, error: null }]);
    expect(logged?.attempts[0]?.answer).toHaveLength(1024);
    expect(JSON.stringify(logged)).not.toContain('the-api-key');
  });

  test('that arrives takes two statements, so that callbacks keep up with what causes them', async () => {
    const { env } = house;
    await schedule();
    await runDueJobs(env);
    await schedule();
    const [due] = await listDeliveries(env, { accountId, status: 'pending' });
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => queries.mockRestore());
    const { signal } = new AbortController();
    const context = { env, dueAt: env.clock.now(), attempt: 1, maxAttempts: 25, stopping: signal, signal };
    await attemptDelivery.run({ delivery_id: due?.id ?? '' }, context);
    expect(queries).toHaveBeenCalledTimes(2);
    expect(await listDeliveries(env, { accountId, status: 'pending' })).toEqual([]);
  });

  test('by GET carries the payload in the query, and the signed URL is the one that was asked for', async () => {
    const id = await schedule({ method: 'get', url: `${receiver.url}/hook?own=1` });
    await runDueJobs(house.env);
    const [sent] = receiver.received;
    expect(sent?.method).toBe('GET');
    expect(sent?.url).toBe(`${receiver.url}/hook?own=1&id=${id}&status=completed&type=orders`);
    const signature = signCallback('the-api-key', sent?.url ?? '', [{ id, type: 'orders', status: 'completed' }]);
    expect(sent?.headers['x-service-signature']).toBe(signature);
  });

  test.each(['get', 'post'] as const)('by %s to a URL outside ASCII is signed as it is sent', async (method) => {
    const id = await schedule({ method, url: `${receiver.url}/grüße/a|b?name=Zoë` });
    await runDueJobs(house.env);
    const [sent] = receiver.received;
    expect(sent?.url).toContain('/gr%C3%BC%C3%9Fe/a|b?name=Zo%C3%AB');
    const signature = signCallback('the-api-key', sent?.url ?? '', [{ id, type: 'orders', status: 'completed' }]);
    expect(sent?.headers['x-service-signature']).toBe(signature);
  });

  test('is signed with the callback secret where the account has one', async () => {
    accountId = await account({ sealed_callback_secret: seal(house.env.serverKey, 'callback_secret', 'shh') });
    const id = await schedule();
    await runDueJobs(house.env);
    const signature = signCallback('shh', `${receiver.url}/hook`, [{ id, type: 'orders', status: 'completed' }]);
    expect(receiver.received[0]?.headers['x-service-signature']).toBe(signature);
  });

  test('does not exist when its transaction is rolled back', async () => {
    const { env } = house;
    const failing = env.db.transaction().execute(async (trx) => {
      const callback = {
        accountId,
        kind: 'orders',
        resourceId: randomUUID(),
        url: receiver.url,
        method: 'post',
      } as const;
      await scheduleCallback(trx, env, { ...callback, payload: {}, sealedSigningKey: null });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await runDueJobs(env);
    expect(receiver.received).toEqual([]);
  });

  test('is not sent while callbacks are off, nor without anything to sign it with', async () => {
    await schedule({ sealedSigningKey: null });
    accountId = await account({ features: '{"callbacks": false}' });
    await schedule();
    await runDueJobs(house.env);
    expect(receiver.received).toEqual([]);
    expect(await listDeliveries(house.env, { accountId })).toEqual([]);
  });
});

describe('success', () => {
  test.each([
    [200, 'delivered'],
    [298, 'delivered'],
    [299, 'pending'],
    [302, 'pending'],
    [500, 'pending'],
  ])('a response of %i leaves it %s', async (status, expected) => {
    receiver.answers = [status];
    const id = await schedule();
    await runDueJobs(house.env);
    expect((await deliveryOf(id))?.delivery.status).toBe(expected);
  });

  test('a receiver that is not there is a failure with its reason', async () => {
    const id = await schedule({ url: 'http://127.0.0.1:1/' });
    await runDueJobs(house.env);
    const logged = await deliveryOf(id);
    expect(logged?.delivery.status).toBe('pending');
    expect(logged?.attempts[0]).toMatchObject({ status: null, error: 'connect: the connection failed (ECONNREFUSED)' });
  });

  test('a failure is listed with its reason and the next try, logged, and counted', async () => {
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const lines: object[] = [];
    const env = { ...house.env, log, outbound: openOutbound() };
    await schedule({ url: 'http://127.0.0.1:1/' });
    receiver.answers = [503];
    await schedule();
    await runDueJobs(env);
    const next_attempt_at = new Date(house.clock.now().getTime() + 60_000);
    const reasons = ['connect: the connection failed (ECONNREFUSED)', 'status 503'];
    expect(await listDeliveries(env, { accountId })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ attempts: 1, next_attempt_at, last_status: null, last_error: reasons[0] }),
        expect.objectContaining({ attempts: 1, next_attempt_at, last_status: 503, last_error: null }),
      ]),
    );
    expect(lines).toEqual(
      expect.arrayContaining(reasons.map((reason) => expect.objectContaining({ reason, attempt: 1 }))),
    );
    expect(env.outbound.sent.counts()).toEqual([
      { purpose: 'callback', result: 'connect', count: 1 },
      { purpose: 'callback', result: 'status_5xx', count: 1 },
    ]);
  });
});

describe('retries', () => {
  test('ten attempts at the times of the contract, then it is given up', async () => {
    receiver.answers = [500];
    const start = house.clock.now().getTime();
    const id = await schedule();
    await advanceClock(house.env, 5 * 86_400);
    const logged = await deliveryOf(id);
    const waited = logged?.attempts.map(({ attempted_at }) => (attempted_at.getTime() - start) / 1000);
    expect(waited).toEqual([0, 60, 660, 2460, 6060, 16_860, 38_460, 81_660, 168_060, 340_860]);
    expect(retryWaits).toHaveLength(9);
    expect(logged?.delivery).toMatchObject({ status: 'failed', attempts: 10, next_attempt_at: null });
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('stop with the first success', async () => {
    receiver.answers = [500, 503, 204];
    const id = await schedule();
    await advanceClock(house.env, 3600);
    expect((await deliveryOf(id))?.attempts.map(({ status }) => status)).toEqual([500, 503, 204]);
  });

  test('stop when callbacks are switched off in between', async () => {
    receiver.answers = [500];
    const id = await schedule();
    await runDueJobs(house.env);
    const off = JSON.stringify({ callbacks: false });
    await house.env.db.updateTable('accounts').set({ features: off }).where('id', '=', accountId).execute();
    await advanceClock(house.env, 3600);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveryOf(id))?.delivery.status).toBe('dropped');
  });

  const entry = (status: string) => ({ id: 'a', type: 'voice_out_trunks', status, threshold_reached: true });
  const change = (status: string) =>
    schedule({ method: 'json', payload: entry(status), batch: `voice_out_trunks:${accountId}` });
  const sentEntries = () => receiver.received.map(({ body }) => JSON.parse(body).map((one: Payload) => one.status));
  const sentIds = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));

  test('entries of a batch that pile up go out together, as a signed JSON list, under an id of their own', async () => {
    receiver.answers = [500, 200];
    await change('blocked');
    await runDueJobs(house.env);
    await change('active');
    await runDueJobs(house.env);
    expect(new Set(sentIds()).size).toBe(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      [entry('blocked')],
      [entry('blocked'), entry('active')],
    ]);
    const signature = signCallback('the-api-key', `${receiver.url}/hook`, [entry('blocked'), entry('active')]);
    expect(receiver.received[1]?.headers['x-service-signature']).toBe(signature);
    expect((await listDeliveries(house.env, { accountId })).map(({ status }) => status).sort()).toEqual([
      'delivered',
      'merged',
    ]);
    await advanceClock(house.env, 6 * 86_400);
    expect(receiver.received).toHaveLength(2);
  });

  test('a change during an attempt waits for its end; each arrives once and in order, and no body changes under its id', async () => {
    const { env } = house;
    const { signal } = new AbortController();
    const context = { env, dueAt: env.clock.now(), attempt: 1, maxAttempts: 25, stopping: signal, signal };
    const attempt = (id: string) => attemptDelivery.run({ delivery_id: id }, context);
    const waiting = async () => (await listDeliveries(env, { accountId, status: 'pending' })).map(({ id }) => id);
    for (const answer of [200, 500]) {
      receiver.received.length = 0;
      const { promise, resolve: release } = Promise.withResolvers<void>();
      receiver.held = promise;
      receiver.answers = [answer, 200];
      await change(`first ${answer}`);
      const [first = ''] = await waiting();
      const underWay = attempt(first);
      await expect.poll(() => receiver.received.length).toBe(1);
      await change('second');
      await change('third');
      const second = (await waiting()).find((id) => id !== first) ?? '';
      // The turn is the first one's: this one returns at once, in whatever process.
      await attempt(second);
      expect(receiver.received).toHaveLength(1);
      release();
      await underWay;
      await runDueJobs(env);
      const together = answer === 200 ? ['second', 'third'] : ['first 500', 'second', 'third'];
      expect(sentEntries()).toEqual([[`first ${answer}`], together]);
      expect(sentIds()).toEqual([first, second]);
      expect(await waiting()).toEqual([]);
    }
  });

  test('a change behind one that is nearly given up has ten attempts of its own, from now on', async () => {
    receiver.answers = [500];
    await change('blocked');
    for (const wait of [0, ...retryWaits.slice(0, -1)]) await advanceClock(house.env, wait);
    expect(receiver.received).toHaveLength(9);
    receiver.received.length = 0;
    await change('active');
    for (const wait of [0, ...retryWaits]) await advanceClock(house.env, wait);
    await advanceClock(house.env, 6 * 86_400);
    expect(sentEntries()).toEqual(Array(10).fill(['blocked', 'active']));
    expect(new Set(sentIds()).size).toBe(1);
    receiver.answers = [200];
    await change('blocked');
    await runDueJobs(house.env);
    expect(sentEntries().at(-1)).toEqual(['blocked']);
  });

  test('the next one is not taken over by a body of a hundred entries, and follows it', async () => {
    receiver.answers = [200];
    for (let n = 0; n < 101; n++) await change(String(n));
    await runDueJobs(house.env);
    expect(sentEntries().map((entries) => entries.length)).toEqual([100, 1]);
    expect(sentEntries().flat()).toEqual(Array.from({ length: 101 }, (_, n) => String(n)));
  });
});

test('a replay sends it again, for its own account only', async () => {
  const id = await schedule();
  await runDueJobs(house.env);
  const delivery = (await deliveryOf(id))?.delivery;
  expect(await replayDelivery(house.env, delivery?.id ?? '', randomUUID())).toBe(false);
  expect(await replayDelivery(house.env, delivery?.id ?? '')).toBe(true);
  await runDueJobs(house.env);
  expect(receiver.received).toHaveLength(2);
  expect((await deliveryOf(id))?.attempts).toHaveLength(2);
});

test('after 30 days the log has forgotten it, and the months that are over are gone', async () => {
  const id = await schedule();
  await runDueJobs(house.env);
  await advanceClock(house.env, 29 * 86_400);
  expect(await deliveryOf(id)).not.toBeNull();
  await advanceClock(house.env, 2 * 86_400);
  expect(await deliveryOf(id)).toBeNull();
  await advanceClock(house.env, 40 * 86_400);
  const kept = await house.env.db.selectFrom('deliveries').select('id').where('resource_id', '=', id).execute();
  expect(kept).toEqual([]);
});
