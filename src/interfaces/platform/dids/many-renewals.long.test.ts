/** Renewals of many numbers of one account: beside rows that others hold, and when the process stops in the middle. */
import { afterEach, expect, test, vi } from 'vitest';
import { advanceClock } from '../../../../test/support/environment.ts';
import { openShop, type Shop } from '../../../../test/support/shop.ts';
import { requestTimeouts } from '../../../engines/db/timeouts.ts';
import { countJobs } from '../../../engines/jobs/inspect.ts';
import { startWorker } from '../../../engines/jobs/worker.ts';
import { settleDueNumbers } from './settle-due-numbers.ts';

let shop: Shop;
afterEach(() => shop.close());

/** More than are taken in one batch. */
const many = 150;
const monthSeconds = 31 * 86_400;

/** A shop whose account owns many numbers; what is logged as more than an information from now on. */
async function openWithNumbers() {
  shop = await openShop({
    account: { balance: '10000' },
    pool: { timeouts: { ...requestTimeouts, lock_timeout: 500 } },
  });
  const ids = await shop.buyDids('london', many);
  const { pool, log } = shop.env;
  const logged = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')];
  const renewed = async () =>
    (await pool.query<{ n: number }>('select count(*)::int as n from dids where periods > 1')).rows[0]?.n;
  const waiting = async () =>
    (
      await pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0]?.n;
  return { ids, logged: () => logged.flatMap(({ mock }) => mock.calls), renewed, waiting };
}

/** Holds a row until the returned function is called. */
async function hold(table: string, id: string | undefined): Promise<() => Promise<void>> {
  const holder = await shop.env.pool.connect();
  await holder.query('begin');
  await holder.query(`select from ${table} where id = $1 for update`, [id]);
  return async () => {
    await holder.query('commit');
    holder.release();
  };
}

test.each([
  ['a number', 'dids'],
  ['the account', 'accounts'],
])('while somebody holds the row of %s, those that need it wait and no other does', async (_what, table) => {
  const { ids, logged, renewed } = await openWithNumbers();
  const other = await shop.addOwner('10');
  const letGo = await hold(table, table === 'dids' ? ids[7] : shop.accountId);
  await advanceClock(shop.env, (Date.parse(other.expiresAt) - shop.clock.now().getTime()) / 1000);
  const { rows } = await shop.env.pool.query('select periods from dids where id = $1', [other.id]);
  expect(rows).toEqual([{ periods: 2 }]);
  await letGo();
  await advanceClock(shop.env, 60);
  expect(await renewed()).toBe(many + 1);
  expect(await shop.getBalance()).toBe((10_000 - many * (0.5 + 2 + 2)).toFixed(2));
  await shop.expectCleanBooks();
  expect(logged()).toEqual([]);
});

test('a process that stops ends between two numbers, and the next one goes on', async () => {
  const { ids, logged, renewed, waiting } = await openWithNumbers();
  const { rows } = await shop.env.pool.query<{ id: string }>('select id from dids order by due_at, number limit 1');
  expect(ids).toContain(rows[0]?.id);
  const letGo = await hold('dids', rows[0]?.id);
  shop.clock.advance(monthSeconds);
  // The database's clock stays where it stands.
  await shop.env.pool.query(`update jobs set run_at = run_at - interval '${monthSeconds} seconds'`);
  const worker = await startWorker(shop.env, { handlers: [settleDueNumbers] });
  await expect.poll(waiting, { timeout: 60_000, interval: 5 }).toBe(1);
  const stopped = worker.stop();
  await letGo();
  await stopped;
  expect(await renewed()).toBeLessThanOrEqual(1);
  expect(await countJobs(shop.env)).toMatchObject({ due: expect.any(Number), running: 0, failed: 0 });
  await advanceClock(shop.env, 60);
  expect(await renewed()).toBe(many);
  await shop.expectCleanBooks();
  expect(logged()).toEqual([]);
});
