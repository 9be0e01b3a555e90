/** Jobs that waited in the tables of a library go on in the table of jobs (migration 1001). */
import pg from 'pg';
import { expect, test } from 'vitest';
import { useEmptyDatabase } from '../../../test/support/empty-database.ts';
import { formerJobs, makeFormerJobQueue } from '../../../test/support/former-job-queue.ts';
import { makeSchemaBeforeBaseline } from '../../../test/support/last-schema-before-baseline.ts';
import { migrate } from './migrate.ts';
import { connectionOf } from './pool.ts';
import { shippedSchema } from './schema-files.ts';

const database = useEmptyDatabase();
const query = async (text: string) => (await database.pool.query(text)).rows;

/** Tables only: functions of today are about tables that came later. */
const makeBaseline = async () => migrate(database.pool, { ...(await shippedSchema()), migrations: [], functions: [] });

const kinds: [string, () => Promise<unknown>][] = [
  ['of before the baseline', () => makeSchemaBeforeBaseline(database.pool)],
  ['of the baseline', makeBaseline],
];

test.each(kinds)('of a database %s, each with its id, time and lanes', async (_what, make) => {
  await make();
  await makeFormerJobQueue(database.pool);
  expect(await migrate(database.pool)).toContain('1001_jobs.sql');
  expect(await query('select id, task, attempts, key, lanes, is_available, last_error from jobs order by id')).toEqual(
    formerJobs,
  );
  expect(await query(`select payload, run_at, priority, max_attempts, locked_by from jobs where id = 40`)).toEqual([
    {
      ...{ payload: { order_id: 'a' }, run_at: new Date('2026-01-02'), priority: -30 },
      ...{ max_attempts: 25, locked_by: null },
    },
  ]);
  expect(await query(`select to_regnamespace('graphile_worker') as left`)).toEqual([{ left: null }]);
  expect(await query(`select queue_job('x', '{}', now()) as id`)).toEqual([{ id: 44 }]);
});

test('not while a process of the version before works on them: it is named, and nothing is changed', async () => {
  await makeBaseline();
  await makeFormerJobQueue(database.pool);
  const former = new pg.Client({ connectionString: connectionOf(database.pool), application_name: 'trunkline jobs' });
  await former.connect();
  await expect(migrate(database.pool)).rejects.toThrow('A Trunkline of a version before still works on this database');
  expect(await query('select count(*)::int as n from graphile_worker.jobs')).toEqual([{ n: 4 }]);
  await former.end();
  await expect.poll(() => migrate(database.pool).catch(() => null)).toContain('1001_jobs.sql');
});
