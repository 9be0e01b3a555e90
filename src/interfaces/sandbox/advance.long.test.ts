/** Moving the clock runs what falls due on the way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestEnvironment, runDueJobs, type TestEnvironment } from '../../../test/support/environment.ts';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskHandler } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { startWorker } from '../../engines/jobs/worker.ts';
import { advanceClock, advanceUntilIdle } from './advance.ts';
import { SandboxClock } from './clock.ts';

const day = 86_400;

const note = defineTask<{ name: string }>('test.note', { priority: 'orders' });
const daily = defineTask<{ left: number }>('test.daily', { priority: 'orders' });
const task = defineTask('test.task', { priority: 'orders' });

describe('advancing a clock that stands (tests)', () => {
  let test: TestEnvironment;
  let seen: string[];
  let handlers: TaskHandler[];

  beforeEach(async () => {
    test = await createTestEnvironment({ at: '2026-01-01T00:00:00Z' });
    seen = [];
    handlers = [
      handle(note, async ({ name }, { env }) => {
        seen.push(`${name} at ${env.clock.now().toISOString()}`);
      }),
      handle(daily, async ({ left }, { env, dueAt }) => {
        seen.push(`daily at ${env.clock.now().toISOString()}`);
        const at = new Date(dueAt.getTime() + day * 1000);
        if (left > 1) await env.jobs.add(env.db, daily, { left: left - 1 }, { at });
      }),
    ];
  });
  afterEach(() => test.close());

  const add = (name: string, at: string) => test.env.jobs.add(test.env.db, note, { name }, { at: new Date(at) });

  it('runs jobs in the order of their due times, each at its own time', async () => {
    await add('third', '2026-01-01T00:00:30Z');
    await add('first', '2026-01-01T00:00:10Z');
    await add('second', '2026-01-01T00:00:10.001Z');
    await add('later', '2026-01-01T00:00:31.001Z');

    await advanceClock(test.env, 31, { handlers });

    expect(seen).toEqual([
      'first at 2026-01-01T00:00:10.000Z',
      'second at 2026-01-01T00:00:10.001Z',
      'third at 2026-01-01T00:00:30.000Z',
    ]);
    expect(test.clock.now().toISOString()).toBe('2026-01-01T00:00:31.000Z');
  });

  it('runs a job that another one plans inside the window', async () => {
    await test.env.jobs.add(test.env.db, daily, { left: 5 }, { at: new Date('2026-01-02T00:00:00Z') });

    await advanceClock(test.env, 3 * day, { handlers });

    expect(seen).toEqual([
      'daily at 2026-01-02T00:00:00.000Z',
      'daily at 2026-01-03T00:00:00.000Z',
      'daily at 2026-01-04T00:00:00.000Z',
    ]);
    await advanceClock(test.env, 30 * day, { handlers });
    expect(seen).toHaveLength(5);
  });

  it('does not pass a job that was begun just before the clock was stopped', async () => {
    await add('begun', '2026-01-01T00:00:00.005Z');
    // Its worker is gone, so that it runs again, and says when.
    await test.env.pool.query(`update jobs set locked_by = 'gone'`);
    await advanceClock(test.env, 600, { handlers });
    expect(seen).toEqual(['begun at 2026-01-01T00:00:00.005Z']);
  });

  it('runs nothing before its time, and what is due now when asked for zero seconds', async () => {
    await test.env.jobs.add(test.env.db, note, { name: 'now' });
    await add('later', '2026-01-01T00:00:01Z');
    await advanceClock(test.env, 0, { handlers });
    expect(seen).toEqual(['now at 2026-01-01T00:00:00.000Z']);
    test.clock.advance(1);
    await advanceClock(test.env, 0, { handlers });
    expect(seen).toHaveLength(2);
  });

  it('does not run a job whose transaction was rolled back', async () => {
    await test.env.db
      .transaction()
      .execute(async (trx) => {
        await test.env.jobs.add(trx, note, { name: 'ghost' });
        throw new Error('no');
      })
      .catch(() => undefined);
    await advanceClock(test.env, 1, { handlers });
    expect(seen).toEqual([]);
  });

  it('replaces a waiting job with the same key', async () => {
    await test.env.jobs.add(test.env.db, note, { name: 'old' }, { key: 'k', at: new Date('2026-01-01T00:00:01Z') });
    await test.env.jobs.add(test.env.db, note, { name: 'new' }, { key: 'k', at: new Date('2026-01-01T00:00:02Z') });
    await advanceClock(test.env, 10, { handlers });
    expect(seen).toEqual(['new at 2026-01-01T00:00:02.000Z']);
  });

  it('tries a failing job again as the clock reaches its next attempt, and answers all the same', async () => {
    let attempts = 0;
    const failing = handle(task, async () => {
      attempts += 1;
      throw new Error('still not');
    });
    await test.env.jobs.add(test.env.db, task, {}, { maxAttempts: 3 });
    await advanceClock(test.env, 0, { handlers: [failing] });
    expect(attempts).toBe(1);
    await advanceClock(test.env, 3600, { handlers: [failing] });
    expect(attempts).toBe(3);
  });

  it('leaves jobs of unknown tasks alone', async () => {
    await test.env.jobs.add(test.env.db, task, {});
    await advanceClock(test.env, 5, { handlers });
    await runDueJobs(test.env);
    expect(test.clock.now().toISOString()).toBe('2026-01-01T00:00:05.000Z');
  });

  it('keeps the time it had reached when a job does not end', async () => {
    const endless = handle(note, async ({ name }, { env }) =>
      env.jobs.add(env.db, note, { name: String(Number(name) + 1) }),
    );
    await add('1', '2026-01-01T00:00:10Z');
    await expect(advanceClock(test.env, 60, { handlers: [endless], patienceMs: 100 })).rejects.toThrow(
      'not ended in time',
    );
    expect(test.clock.now().toISOString()).toBe('2026-01-01T00:00:10.000Z');
  });
});

describe("advancing the sandbox's clock", () => {
  let processes: Processes;
  beforeEach(async () => {
    processes = await createProcesses();
  });
  afterEach(() => processes.close());

  const offset = (env: Environment) => (env.clock instanceof SandboxClock ? env.clock.offsetSeconds : Number.NaN);

  it('is seen by every process, and by one that starts later', async () => {
    const [one, two] = [await processes.start(), await processes.start()];
    const before = two.clock.now().getTime();
    await advanceClock(one, 3600, { handlers: [] });
    await expect.poll(() => two.clock.now().getTime() - before).toBeGreaterThanOrEqual(3_600_000);
    const three = await processes.start();
    expect([one, two, three].map(offset)).toEqual([3600, 3600, 3600]);
  });

  it('adds up when several are asked for at once, from several processes', async () => {
    const [one, two] = [await processes.start(), await processes.start()];
    await Promise.all([one, two, one, two].map((env) => advanceClock(env, 10, { handlers: [] })));
    await expect.poll(() => [offset(one), offset(two)]).toEqual([40, 40]);
  });

  it('waits for a job that a worker of another process has begun', async () => {
    const [one, two] = [await processes.start(), await processes.start()];
    const begun = Promise.withResolvers<void>();
    let ended = false;
    const elsewhere = handle(task, async () => {
      begun.resolve();
      await new Promise((resolve) => setTimeout(resolve, 200));
      ended = true;
    });
    const worker = await startWorker(two, { handlers: [elsewhere] });
    await one.jobs.add(one.db, task, {});
    await begun.promise;
    await advanceClock(one, 60, {
      handlers: [handle(task, async () => Promise.reject(new Error('not here')))],
    });
    expect(ended).toBe(true);
    await worker.stop();
  });

  it('is not idle while a job has become due on the way', async () => {
    const one = await processes.start();
    const runs: number[] = [];
    const again = handle(daily, async ({ left }, { env }) => {
      runs.push(left);
      const at = new Date(env.clock.now().getTime() + 1);
      if (left > 1) await env.jobs.add(env.db, daily, { left: left - 1 }, { at });
    });
    await one.jobs.add(one.db, daily, { left: 5 });
    await advanceUntilIdle(one, 1, { handlers: [again] });
    expect(runs).toEqual([5, 4, 3, 2, 1]);
  });

  it('shows each job its due time, whichever process runs it, and answers after the last', async () => {
    const [one, two] = [await processes.start(), await processes.start()];
    const seen: boolean[] = [];
    const look = handle(task, async (_payload, { env, dueAt }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(env.clock.now().getTime() === dueAt.getTime());
    });
    const worker = await startWorker(two, { handlers: [look], most: 3 });
    const start = one.clock.now().getTime();
    for (let n = 0; n < 20; n++) {
      await one.jobs.add(one.db, task, {}, { at: new Date(start + (60 + Math.floor(n / 5)) * 1000) });
    }
    await advanceClock(one, 120, { handlers: [look] });
    expect(seen).toEqual(Array(20).fill(true));
    await worker.stop();
  });

  it('goes on from where it stood when the process that advanced it was killed', async () => {
    const one = await processes.start();
    const start = one.clock.now().getTime();
    await one.pool.query('update environment_state set clock_version = clock_version + 1, clock_stands_at = $1', [
      new Date(start + 500_000),
    ]);
    const two = await processes.start();
    expect(two.clock.now().getTime()).toBeGreaterThanOrEqual(start + 500_000);
    const reading = two.clock.now().getTime();
    await expect.poll(() => two.clock.now().getTime()).toBeGreaterThan(reading);
  });
});
