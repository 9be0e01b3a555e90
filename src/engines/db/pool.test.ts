/** Values in the form that the rooms rely on. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { withoutTimeouts } from './timeouts.ts';
import { ClientPresence, runAsWork } from './work.ts';

const test = useOpened(() => createTestEnvironment());

it('reads each kind of value in the form the rooms rely on', async () => {
  const { rows } = await test.env.pool.query(
    `select 42::int8 as integer, '0.10'::numeric as money, '2026-02-03'::date as day,
            '2026-02-03T04:05:06Z'::timestamptz as instant, '2026-02-03T23:30:00Z'::timestamptz::text as text`,
  );
  expect(rows).toEqual([
    {
      integer: 42,
      money: '0.10',
      day: '2026-02-03',
      instant: new Date('2026-02-03T04:05:06Z'),
      text: '2026-02-03 23:30:00+00',
    },
  ]);
});

it('refuses an integer that a number cannot hold instead of rounding it', async () => {
  await expect(test.env.pool.query('select 9007199254740993::int8')).rejects.toThrow('too large');
});

it('lets long work run without timeouts, and has them again afterwards', async () => {
  const client = await test.env.pool.connect();
  const statementTimeout = async () => (await client.query('show statement_timeout')).rows[0]?.statement_timeout;
  try {
    expect(await withoutTimeouts(client, statementTimeout)).toBe('0');
    expect(await statementTimeout()).toBe('30s');
  } finally {
    client.release();
  }
});

it('never hands out a connection again whose statement was cancelled for a client that went', async () => {
  const { db, pool } = test.env;
  const client = new ClientPresence();
  const work = { lane: 'platform', client, reads: true, accountId: null, waitedMs: 0, ended: false } as const;
  const backend = sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`;
  const pidOf = async (executor: typeof db) => (await backend.execute(executor)).rows[0]?.pid;
  // Its statement has ended by the time the client goes, so only the pool knows that a cancel is on its way.
  const pid = await runAsWork({ ...work }, () =>
    db.connection().execute(async (connection) => {
      const own = await pidOf(connection);
      client.leave();
      return own;
    }),
  );
  const pids = await Promise.all(Array.from({ length: pool.options.max }, () => pidOf(db)));
  expect(pids).not.toContain(pid);
});
