/** How a job is stored. */
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../test/support/environment.ts';
import { useOpened } from '../../test/support/use.ts';
import { releaseJobsOfTheDead } from './liveness.ts';
import { defineTask } from './task.ts';

const plain = defineTask<{ n: number }>('test.plain', { priority: 'codes' });
const keyed = defineTask<{ a: number }>('test.keyed', { priority: 'callbacks' });
const left = defineTask('test.left', { priority: 'background' });

const test = useOpened(() => createTestEnvironment({ at: '2026-01-01T00:00:00Z' }));

const stored = async (task: string) =>
  (
    await test.env.pool.query(
      `select payload, run_at, max_attempts, key, queue_name, priority from graphile_worker._private_jobs
       join graphile_worker._private_tasks tasks on tasks.id = task_id
       left join graphile_worker._private_job_queues queues on queues.id = job_queue_id
       where identifier = $1 order by _private_jobs.id`,
      [task],
    )
  ).rows;

const later = new Date('2026-02-01T00:00:00.123Z');

it('stores a job due now or later by the clock, for a task it meets the first time and again', async () => {
  for (let n = 0; n < 2; n++) {
    await test.env.jobs.add(test.env.db, plain, { n });
    await test.env.jobs.add(test.env.db, plain, { n }, { at: later, maxAttempts: 3 });
  }
  const now = { run_at: test.clock.now(), max_attempts: 25, key: null, queue_name: null, priority: -40 };
  const then = { run_at: later, max_attempts: 3, key: null, queue_name: null, priority: -40 };
  expect(await stored(plain.name)).toEqual([
    { payload: { n: 0 }, ...now },
    { payload: { n: 0 }, ...then },
    { payload: { n: 1 }, ...now },
    { payload: { n: 1 }, ...then },
  ]);
});

it('keeps the key', async () => {
  await test.env.jobs.add(test.env.db, keyed, { a: 1 }, { key: 'k', at: later });
  await test.env.jobs.add(test.env.db, keyed, { a: 2 }, { key: 'k' });
  expect(await stored(keyed.name)).toEqual([
    { payload: { a: 2 }, run_at: test.clock.now(), max_attempts: 25, key: 'k', queue_name: null, priority: -10 },
  ]);
});

it('gives back the jobs of an advance that was killed, and of no pool that holds its lock', async () => {
  await test.env.jobs.add(test.env.db, left, {});
  const lock = (owner: string) =>
    test.env.pool.query(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = $1
       where task_id = (select id from graphile_worker._private_tasks where identifier = 'test.left')`,
      [owner],
    );
  await lock('otpool-1');
  expect(await releaseJobsOfTheDead(test.env.pool)).toBe(1);
  await lock('pool-1');
  expect(await releaseJobsOfTheDead(test.env.pool)).toBe(1);
  await lock('somebody else');
  expect(await releaseJobsOfTheDead(test.env.pool)).toBe(0);
});

it('compiles only with a declared task and its own payload', () => {
  const { env } = test;
  const mistakes = [
    // @ts-expect-error a name alone is no task: it might be misspelt
    () => env.jobs.add(env.db, 'test.plain', { n: 1 }),
    // @ts-expect-error a misspelt member
    () => env.jobs.add(env.db, plain, { number: 1 }),
    // @ts-expect-error a member that is missing
    () => env.jobs.add(env.db, plain, {}),
    // @ts-expect-error a payload for a task that carries none
    () => env.jobs.add(env.db, left, { n: 1 }),
  ];
  expect(mistakes).toHaveLength(4);
});
