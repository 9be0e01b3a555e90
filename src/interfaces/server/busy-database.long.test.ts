/** A full pool: who is refused, how, and who still gets a connection. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { HeldConnections } from '../../../test/support/held-connections.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApplication } from '../verification/application.writes.ts';

const server = useOpened(() => startTestServer({ pool: { max: 5, perAccount: 2, requestWaitMs: 150 } }));
let authorization: string;
beforeAll(async () => {
  const application = await createApplication(server.env, server.accountId, { name: 'web' });
  authorization = `Basic ${Buffer.from(`${application.key}:${application.secret.reveal()}`).toString('base64')}`;
  // Who asks is known from here on without a look into the database.
  await server.client.get('/balance');
  await checkedFetch(`${server.url}/api/v1/verifications/x`, { headers: { authorization } });
});

const held = new HeldConnections();
const hold = (count: number) => held.take(server.env.pool, count);
const letGo = () => held.release();
afterEach(letGo);

const readCode = () =>
  checkedFetch(`${server.url}/api/v1/verifications/by_number/4915112345678`, { headers: { authorization } });

test('a full pool is 503 with Retry-After in the form of each interface, and over once it has room again', async () => {
  await hold(5);
  const platform = await server.client.get('/balance');
  expect([platform.status, platform.headers.get('retry-after'), platform.errors]).toEqual([
    503,
    '1',
    [
      {
        title: 'Service Unavailable',
        detail: 'The server is busy. Nothing was changed. Try again in a moment.',
        code: '503',
        status: '503',
        meta: { outcome: 'nothing_changed' },
      },
    ],
  ]);
  const code = await readCode();
  expect([code.status, code.headers.get('retry-after'), await code.json()]).toEqual([
    503,
    '1',
    { errors: [{ code: 'service_unavailable', detail: 'service is busy, try again in a moment' }] },
  ]);
  expect(code.headers.get('access-control-allow-origin')).toBe('*');
  letGo();
  expect([(await server.client.get('/balance')).status, (await readCode()).status]).toEqual([200, 404]);
});

test('the last connection is for codes, not for the platform', async () => {
  await hold(4);
  expect((await readCode()).status).toBe(404);
});

test('an account whose requests hang does not keep others from theirs', async () => {
  const other = await server.addAccount();
  await other.client.get('/balance');
  await hold(2);
  const [locker] = held.clients;
  await locker?.query('begin; lock table orders in access exclusive mode');
  const statuses: number[] = [];
  const hanging = Array.from({ length: 6 }, async () => {
    statuses.push((await server.client.get('/orders')).status);
  });
  await expect.poll(() => activeStatements('%from orders%')).toBe(2);
  expect((await other.client.get('/balance')).status).toBe(200);
  // The two that hold a connection wait for the lock; the others give up.
  await expect.poll(() => statuses).toEqual([503, 503, 503, 503]);
  await locker?.query('rollback');
  await Promise.all(hanging);
  expect(statuses.slice(4)).toEqual([200, 200]);
});

test('a read is given up when its client has gone', async () => {
  await hold(2);
  const [locker] = held.clients;
  await locker?.query('begin; lock table orders in access exclusive mode');
  const client = new AbortController();
  const read = fetch(`${server.url}/v3/orders`, { headers: { 'api-key': server.key }, signal: client.signal });
  await expect.poll(() => activeStatements('%from orders%')).toBe(1);
  client.abort();
  await expect(read).rejects.toThrow('aborted');
  await expect.poll(() => activeStatements('%from orders%')).toBe(0);
  await locker?.query('rollback');
});

test('every connection gives up by itself, and long work is let through', async () => {
  const { rows } = await server.env.pool.query(
    `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
            current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  expect(rows).toEqual([{ statement: '30s', lock: '10s', idle: '1min' }]);
});

async function activeStatements(like: string): Promise<number> {
  // Not the one that holds the lock: its transaction would see the activity as it was at its first look.
  const [, client] = held.clients;
  const result = await client?.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where state = 'active' and pid != pg_backend_pid() and query like $1`,
    [like],
  );
  return result?.rows[0]?.count ?? -1;
}
