/**
 * Seeds and advances of the clock: few at a time, accounts take turns, and beyond what may wait clients are told to
 * come back.
 */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const server = useOpened(() => startTestServer());

const seed = (key: string) =>
  fetch(`${server.url}/sandbox/v1/seed`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ accounts: [{ verifications: [] }] }),
  });

test('one account cannot keep the others from theirs, and is refused with Retry-After', async () => {
  const other = await server.addAccount();
  const holder = await server.env.pool.connect();
  await holder.query('begin; lock table seed_budgets in access exclusive mode');
  const waiting = async () =>
    (
      await holder.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
    ).rows[0].n;
  const mine = Array.from({ length: 67 }, () => seed(server.key));
  // Two are under way and wait for the lock, 64 wait for their turn, and one is too many.
  const refused = await Promise.race(mine);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '1',
    { error: '64 requests of this account wait for a seed or an advance of the clock already; send fewer at a time.' },
  ]);
  await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
  const others = seed(other.key);
  await expect.poll(waiting, { timeout: 20_000 }).toBe(3);
  await holder.query('commit');
  holder.release();
  expect((await others).status).toBe(201);
  const statuses = (await Promise.all(mine)).map(({ status }) => status);
  expect([
    statuses.filter((status) => status === 201).length,
    statuses.filter((status) => status === 429).length,
  ]).toEqual([66, 1]);
});
