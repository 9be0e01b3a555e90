/** Workers run, retry and give back jobs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import type { Environment } from '../environment.ts';
import { handle } from './handler.ts';
import { countJobs } from './inspect.ts';
import { defineTask } from './task.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

const task = defineTask('test.task', { priority: 'orders' });
const greet = defineTask<{ name: string }>('test.greet', { priority: 'orders' });

describe('a worker', () => {
  let processes: Processes;
  let workers: Worker[];
  beforeEach(async () => {
    processes = await createProcesses();
    workers = [];
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    await processes.close();
  });

  const start = async (env: Environment, options: WorkerOptions) => {
    const worker = await startWorker(env, options);
    workers.push(worker);
    return worker;
  };

  it('runs a job that is due, with its payload and what is known about the attempt', async () => {
    const env = await processes.start('production');
    const ran: unknown[] = [];
    await start(env, {
      handlers: [
        handle(greet, async (payload, { attempt, maxAttempts }) => void ran.push({ payload, attempt, maxAttempts })),
      ],
    });
    await env.jobs.add(env.db, greet, { name: 'Ada' }, { maxAttempts: 4 });
    await expect.poll(() => ran).toEqual([{ payload: { name: 'Ada' }, attempt: 1, maxAttempts: 4 }]);
  });

  it('leaves a job for later in the queue, which the counts show', async () => {
    const env = await processes.start('production');
    await env.jobs.add(env.db, task, {}, { at: new Date(env.clock.now().getTime() + 3_600_000) });
    await env.jobs.add(env.db, task, {});
    expect(await countJobs(env)).toEqual({ scheduled: 1, due: 1, running: 0, failed: 0 });
  });

  it('takes codes before orders, events, callbacks and the rest, however late they were added', async () => {
    const env = await processes.start('production');
    const classes = ['background', 'callbacks', 'events', 'orders', 'codes'] as const;
    const tasks = classes.map((priority) => defineTask(`test.${priority}`, { priority }));
    const ran: string[] = [];
    for (const each of tasks) await env.jobs.add(env.db, each, {});
    for (const each of tasks) await env.jobs.add(env.db, each, {}, { key: each.name });
    const handlers = tasks.map((each) => handle(each, async () => void ran.push(each.priority)));
    await start(env, { handlers, most: 1 });
    await expect.poll(() => ran).toEqual(classes.toReversed().flatMap((priority) => [priority, priority]));
  });

  it('lets a running job end when it is stopped', async () => {
    const env = await processes.start('production');
    const begun = Promise.withResolvers<void>();
    let ended = false;
    const worker = await startWorker(env, {
      handlers: [
        handle(task, async () => {
          begun.resolve();
          await new Promise((resolve) => setTimeout(resolve, 100));
          ended = true;
        }),
      ],
    });
    await env.jobs.add(env.db, task, {});
    await begun.promise;
    await worker.stop();
    expect(ended).toBe(true);
    expect(await countJobs(env)).toEqual({ scheduled: 0, due: 0, running: 0, failed: 0 });
  });

  it('takes over at once what a killed process was running', async () => {
    const [dying, living] = [await processes.start('production'), await processes.start('production')];
    const begun = Promise.withResolvers<void>();
    const stuck = Promise.withResolvers<void>();
    // Busy with its one job, it stands for a process that does nothing any more.
    await start(dying, {
      most: 1,
      handlers: [
        handle(task, async () => {
          begun.resolve();
          await stuck.promise;
        }),
      ],
    });
    await dying.jobs.add(dying.db, task, {});
    await begun.promise;
    await dying.changes.close();

    const ran = Promise.withResolvers<number>();
    await start(living, { handlers: [handle(task, async (_payload, { attempt }) => ran.resolve(attempt))] });
    expect(await ran.promise).toBe(2);
    stuck.resolve();
  });

  it('comes back by itself when its first look at the queue has failed', async () => {
    const env = await processes.start('production');
    const ran: number[] = [];
    await env.pool.query('alter table jobs rename column is_available to is_not_there');
    const worker = await start(env, {
      pollMs: 100,
      handlers: [handle(task, async (_payload, { attempt }) => void ran.push(attempt))],
    });
    // As /readyz says it.
    await expect.poll(() => worker.isAlive()).toBe(false);
    await env.pool.query('alter table jobs rename column is_not_there to is_available');
    await env.jobs.add(env.db, task, {});
    await expect.poll(() => ran).toEqual([1]);
    await expect.poll(() => worker.isAlive()).toBe(true);
  });

  it('goes on when its connections are terminated, with the job that was running', async () => {
    const env = await processes.start('production');
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    let ran = 0;
    const worker = await start(env, {
      handlers: [
        handle(task, async () => {
          ran += 1;
          begun.resolve();
          await done.promise;
        }),
      ],
    });
    await env.jobs.add(env.db, task, {});
    await begun.promise;
    await env.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    done.resolve();
    await env.jobs.add(env.db, task, {});
    await expect.poll(() => ran).toBeGreaterThanOrEqual(2);
    const none = { scheduled: 0, due: 0, running: 0, failed: 0 };
    await expect.poll(() => countJobs(env)).toEqual(none);
    await expect.poll(() => worker.isAlive()).toBe(true);
  });

  it('is not taken for dead while it lives', async () => {
    const [one, two] = [await processes.start('production'), await processes.start('production')];
    const begun = Promise.withResolvers<void>();
    const stuck = Promise.withResolvers<void>();
    await start(one, {
      handlers: [
        handle(task, async () => {
          begun.resolve();
          await stuck.promise;
        }),
      ],
    });
    await one.jobs.add(one.db, task, {});
    await begun.promise;
    let twice = false;
    await start(two, {
      handlers: [
        handle(task, async () => {
          twice = true;
        }),
      ],
    });
    expect((await countJobs(one)).running).toBe(1);
    expect(twice).toBe(false);
    stuck.resolve();
  });
});
