/**
 * Many changes of many trunks beside receivers that fail and are slow, in a process with two workers; and what
 * operators discard meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceClock, createTestEnvironment } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { useOpened } from '../../../test/support/use.ts';
import { startWorker, type Worker } from '../../engines/jobs/worker.ts';
import { Secret } from '../accounts/secret.ts';
import { attemptDelivery } from './attempt-callback.ts';
import { discardDeliveries, listDeliveries } from './callback-log.ts';
import { sealSigningKey } from './callback-request.ts';
import { scheduleCallback } from './schedule-callback.ts';

const seed = Number(process.env.CALLBACK_SEED ?? 20261119);
const trunks = Array.from({ length: 6 }, (_, index) => `trunk-${index}`);
/** Never answers with success. */
const dead = 'trunk-0';
const changes = 40;

const house = useOpened(() => createTestEnvironment());
const workers: Worker[] = [];
let accountId = '';

beforeAll(async () => {
  const { env } = house;
  const values = { name: 'Acme', created_at: env.clock.now() };
  accountId = (await env.db.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id;
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
});

/** mulberry32 */
function randomOf(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Received {
  trunk: string;
  id: string;
  body: string;
  status: number;
}

/** Fails and dawdles as the seed says, and counts how many requests of one trunk come at once. */
async function startOddReceiver(random: () => number) {
  const received: Received[] = [];
  const open = new Map<string, number>();
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    const trunk = (request.url ?? '').slice(1);
    const count = (open.get(trunk) ?? 0) + 1;
    open.set(trunk, count);
    mostAtOnce = Math.max(mostAtOnce, count);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', async () => {
      const status = trunk === dead || random() < 0.3 ? 500 : 200;
      if (random() < 0.3) await pause(random() * 30);
      received.push({ trunk, id: String(request.headers['webhook-id']), body, status });
      open.set(trunk, (open.get(trunk) ?? 1) - 1);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, received, mostAtOnce: () => mostAtOnce, close };
}

const change = (url: string, trunk: string, status: string): Promise<unknown> =>
  house.env.db.transaction().execute((trx) =>
    scheduleCallback(trx, house.env, {
      accountId,
      kind: 'voice_out_trunks',
      resourceId: randomUUID(),
      url: `${url}/${trunk}`,
      method: 'json',
      payload: { id: trunk, type: 'voice_out_trunks', status },
      batch: `voice_out_trunks:${trunk}`,
      sealedSigningKey: sealSigningKey(house.env, new Secret('the-api-key')),
    }),
  );

const entriesOf = ({ body }: Received): string[] => JSON.parse(body).map((entry: { status: string }) => entry.status);

test(`each change arrives once, in order, under an id whose body stays (CALLBACK_SEED=${seed})`, {
  timeout: 240_000,
}, async () => {
  const random = randomOf(seed);
  const receiver = await startOddReceiver(random);
  const { env } = house;
  for (let n = 0; n < 2; n++) workers.push(await startWorker(env, { handlers: [attemptDelivery], pollMs: 50 }));
  for (let n = 0; n < changes; n++) {
    const order = trunks.toSorted(() => random() - 0.5);
    await Promise.all(order.map((trunk) => change(receiver.url, trunk, String(n))));
    if (random() < 0.2) house.clock.advance(Math.ceil(random() * 7200));
  }
  const pending = async () => {
    house.clock.advance(86_400);
    return (await listDeliveries(env, { accountId, status: 'pending' })).length;
  };
  await expect.poll(pending, { timeout: 200_000, interval: 200 }).toBe(0);
  await receiver.close();

  const { received } = receiver;
  expect(receiver.mostAtOnce()).toBe(1);
  const byId = Map.groupBy(received, ({ id }) => id);
  for (const attempts of byId.values()) {
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
    expect(attempts.length).toBeLessThanOrEqual(10);
    // The end of an id is its first success.
    expect(attempts.slice(0, -1).every(({ status }) => status !== 200)).toBe(true);
  }
  const all = Array.from({ length: changes }, (_, n) => String(n));
  for (const trunk of trunks.filter((each) => each !== dead)) {
    const arrived = received.filter((one) => one.trunk === trunk && one.status === 200);
    expect([trunk, arrived.flatMap(entriesOf)]).toEqual([trunk, all]);
  }
  const last = received.filter(({ trunk }) => trunk === dead).at(-1);
  expect(last && entriesOf(last)).toEqual(all);
  expect(byId.get(last?.id ?? '')?.length).toBe(10);
});

test('what an operator discards while it is attempted stays discarded, unless it has arrived', async () => {
  const { env } = house;
  const { signal } = new AbortController();
  const context = { env, dueAt: env.clock.now(), attempt: 1, maxAttempts: 25, stopping: signal, signal };
  for (const worker of workers.splice(0)) await worker.stop();
  for (const [answer, batched, expected] of [
    [500, false, 'dropped'],
    [500, true, 'dropped'],
    [200, false, 'delivered'],
  ] as const) {
    const receiver = await startReceiver(answer);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    receiver.held = promise;
    const trunk = randomUUID();
    await env.db.transaction().execute((trx) =>
      scheduleCallback(trx, env, {
        accountId,
        kind: 'voice_out_trunks',
        resourceId: trunk,
        url: `${receiver.url}/${trunk}`,
        method: 'json',
        payload: { id: trunk, type: 'voice_out_trunks', status: 'active' },
        ...(batched ? { batch: `voice_out_trunks:${trunk}` } : {}),
        sealedSigningKey: sealSigningKey(env, new Secret('the-api-key')),
      }),
    );
    const find = async () => (await listDeliveries(env, { accountId })).find((one) => one.resource_id === trunk);
    const id = (await find())?.id ?? '';
    const underWay = attemptDelivery.run({ delivery_id: id }, context);
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(await discardDeliveries(env, { id })).toBe(1);
    release();
    await underWay;
    expect([answer, (await find())?.status]).toEqual([answer, expected]);
    await advanceClock(env, 3 * 86_400);
    expect([answer, receiver.received.length, (await find())?.status]).toEqual([answer, 1, expected]);
    await receiver.close();
  }
});
