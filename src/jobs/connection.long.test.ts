/** What fails inside the job queue's library while it ends is left to nobody; processes would count it as a fault. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../test/support/environment.ts';
import { useOpened } from '../../test/support/use.ts';
import { connectionOf } from '../db/pool.ts';
import { openJobPool } from './connection.ts';
import { startGeneration } from './generation.ts';
import { handle } from './handler.ts';
import { defineTask } from './task.ts';

const house = useOpened(() => createTestEnvironment({ name: 'production' }));
const task = defineTask('test.task', { priority: 'orders' });

/** Until all of them are gone, and no new one comes: the environment's own stay open. */
const cutOff = async (): Promise<void> => {
  await allow(false);
  const theirs = "application_name = 'trunkline jobs' and datname = current_database()";
  await house.env.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${theirs}`);
  await expect
    .poll(async () => (await house.env.pool.query(`select from pg_stat_activity where ${theirs}`)).rowCount)
    .toBe(0);
};

/** From another database, as PostgreSQL demands. */
async function allow(connections: boolean): Promise<void> {
  const url = new URL(connectionOf(house.env.pool));
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query(`alter database ${pg.escapeIdentifier(name)} with allow_connections ${connections}`);
  await client.end();
}

test('a failure is told to its caller, and to nobody once all is over', async () => {
  let isOver = false;
  const pool = openJobPool(house.env, 2, { isOver: () => isOver });
  const [first, second] = [await pool.connect(), await pool.connect()];
  await expect(first.query('select 1 / 0')).rejects.toThrow('division by zero');
  isOver = true;
  const outcome = second.query('select 1 / 0').then(
    () => 'answered',
    () => 'told',
  );
  // Statements of one connection are answered in their order, so this one has failed by then.
  const later = second.query('select 1').then(() => 'over');
  expect(await Promise.race([outcome, later])).toBe('over');
  first.release();
  second.release();
  await pool.end();
});

test('workers whose connections break while they end leave no rejection behind', async () => {
  const { env } = house;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let begun = 0;
  const slow = handle(task, async () => {
    begun += 1;
    await mayEnd;
  });
  const generation = await startGeneration(env, {
    handlers: [slow],
    concurrency: 2,
    pollMs: 100,
    inBatches: true,
    signal: new AbortController().signal,
  });
  // Two run, others are taken ahead.
  for (let job = 0; job < 8; job++) await env.jobs.add(env.db, task, {});
  await expect.poll(() => begun).toBe(2);
  await cutOff();
  generation.end();
  end();
  await generation.close(5_000);
  await allow(true);
  // Vitest fails the run on any rejection that nobody handles; what was taken is free for other workers.
  const { rows } = await env.pool.query(
    'select count(*)::int as n from graphile_worker._private_jobs where locked_at is not null',
  );
  expect(rows).toEqual([{ n: 0 }]);
});
