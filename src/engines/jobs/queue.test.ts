/** How a job is stored. */
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { announce, newWorkerId, releaseJobsOfTheDead } from './liveness.ts';
import { defineTask } from './task.ts';

const plain = defineTask<{ n: number }>('test.plain', { priority: 'codes' });
const keyed = defineTask<{ a: number }>('test.keyed', { priority: 'callbacks' });
const left = defineTask('test.left', { priority: 'background' });

const test = useOpened(() => createTestEnvironment({ at: '2026-01-01T00:00:00Z' }));

const stored = async (task: string) =>
  (
    await test.env.pool.query(
      'select payload, run_at, max_attempts, key, priority from jobs where task = $1 order by id',
      [task],
    )
  ).rows;

const later = new Date('2026-02-01T00:00:00.123Z');

it('stores a job due now or later by the clock, for a task it meets the first time and again', async () => {
  for (let n = 0; n < 2; n++) {
    await test.env.jobs.add(test.env.db, plain, { n });
    await test.env.jobs.add(test.env.db, plain, { n }, { at: later, maxAttempts: 3 });
  }
  const now = { run_at: test.clock.now(), max_attempts: 25, key: null, priority: -40 };
  const then = { run_at: later, max_attempts: 3, key: null, priority: -40 };
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
    { payload: { a: 2 }, run_at: test.clock.now(), max_attempts: 25, key: 'k', priority: -10 },
  ]);
});

it('replaces a job with the same key that waits, and leaves alone one that has begun or given up', async () => {
  const { env } = test;
  const add = (a: number) => env.jobs.add(env.db, keyed, { a }, { key: 'once' });
  const change = (set: string) => env.pool.query(`update jobs set ${set} where key = 'once'`);
  const all = async () =>
    (
      await env.pool.query(
        `select (payload->>'a')::int as a, key, attempts from jobs where (payload->>'a')::int > 10 order by id`,
      )
    ).rows;
  await add(11);
  await change("attempts = 3, last_error = 'x'");
  await add(12);
  expect(await all()).toEqual([{ a: 12, key: 'once', attempts: 0 }]);
  await change("locked_by = 'somebody', attempts = 1");
  await add(13);
  // If the one that runs fails, it is not tried again: the other knows more.
  expect(await all()).toEqual([
    { a: 12, key: null, attempts: 25 },
    { a: 13, key: 'once', attempts: 0 },
  ]);
  await change('attempts = max_attempts');
  await add(14);
  expect(await all()).toMatchObject([{ a: 12 }, { a: 13, key: null }, { a: 14, key: 'once' }]);
  await env.pool.query('delete from jobs where task = $1', [keyed.name]);
});

it('adds a keyed job without payload once, unless it has begun', async () => {
  const { env } = test;
  const add = () => env.jobs.add(env.db, left, {}, { key: 'left', at: later });
  const keys = async () => (await stored(left.name)).map(({ key }) => key);
  await add();
  await add();
  expect(await keys()).toEqual(['left']);
  await env.pool.query("update jobs set locked_by = 'somebody', attempts = 1 where key = 'left'");
  await add();
  expect(await keys()).toEqual([null, 'left']);
  await env.pool.query('delete from jobs where task = $1', [left.name]);
});

it('adds one job of a key, however many add it at once', async () => {
  const { env } = test;
  await Promise.all(Array.from({ length: 8 }, (_, n) => env.jobs.add(env.db, keyed, { a: -n - 1 }, { key: 'race' })));
  expect((await stored(keyed.name)).filter(({ key }) => key === 'race')).toHaveLength(1);
});

it('gives back the jobs of workers that are gone, and of none that holds its lock', async () => {
  const { env } = test;
  await env.jobs.add(env.db, left, {});
  const [dead, living] = [newWorkerId(), newWorkerId()];
  const lock = (owner: string) => env.pool.query('update jobs set locked_by = $1 where task = $2', [owner, left.name]);
  const end = await announce(env.changes, living);
  await lock(living);
  expect(await releaseJobsOfTheDead(env.pool)).toBe(0);
  await lock(dead);
  expect(await releaseJobsOfTheDead(env.pool)).toBe(1);
  await lock(living);
  await end();
  expect(await releaseJobsOfTheDead(env.pool)).toBe(1);
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
