/** Jobs that wait for others: lanes, retries, stops, lost responses. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { startQuietWorker } from '../../../test/support/quiet-worker.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { DatabaseBusy } from '../db/unavailable.ts';
import { handle, type TaskHandler } from './handler.ts';
import { countJobs } from './inspect.ts';
import { LaneFull } from './lanes.ts';
import { defineTask } from './task.ts';
import type { Worker, WorkerOptions } from './worker.ts';

const visit = defineTask<{ name: string }>('test.visit', {
  priority: 'callbacks',
  outward: true,
  lanes: { receiver: 2, account: 5 },
});

let processes: Processes;
let env: WholeEnvironment;
let workers: Worker[];
beforeEach(async () => {
  processes = await createProcesses();
  env = await processes.start('production');
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.stop();
  await processes.close();
});

const start = async (handler: TaskHandler, options: Partial<WorkerOptions> = {}, place = env) => {
  const worker = await startQuietWorker(place, handler, options);
  workers.push(worker);
  return worker;
};

const add = (name: string, receiver = name, account = name) =>
  env.jobs.add(env.db, visit, { name }, { lanes: [`receiver ${receiver}`, `account ${account}`] });

/** A handler whose runs last until they are let go or the worker gives them up. */
function visits() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const handler = handle(visit, async ({ name }, { signal }) => {
    begun.push(name);
    await new Promise<void>((resolve, reject) => {
      open.set(name, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  return { begun, handler, end: (name: string) => open.get(name)?.() };
}

describe('jobs that wait for others', () => {
  it('wait in any number, and hold no connection while they do', async () => {
    const { begun, handler } = visits();
    for (let n = 0; n < 200; n++) await add(`job ${n}`);
    await start(handler);
    await expect.poll(() => begun.length).toBe(200);
    await expect.poll(() => env.pool.totalCount - env.pool.idleCount).toBe(0);
    expect(await countJobs(env)).toMatchObject({ running: 200, due: 0 });
  });

  it('keep to the limits of their lanes, whatever stands before them in the queue', async () => {
    const { begun, handler, end } = visits();
    for (let n = 0; n < 300; n++) await add(`silent ${n}`, 'silent', 'Acme');
    for (let n = 0; n < 9; n++) await add(`other ${n}`, `other ${n}`, 'Acme');
    await add('quick');
    await start(handler);
    // Two of the silent receiver, three more of its account's other receivers, and everybody else.
    const first = ['silent 0', 'silent 1', 'other 0', 'other 1', 'other 2', 'quick'];
    await expect.poll(() => begun.toSorted()).toEqual(first.toSorted());
    end('silent 0');
    await expect.poll(() => begun.slice(6)).toEqual(['silent 2']);
    end('other 1');
    await expect.poll(() => begun.slice(7)).toEqual(['other 3']);
    end('quick');
    await add('quick');
    await expect.poll(() => begun.slice(8)).toEqual(['quick']);
  });

  it('go one at a time into a lane that was made narrow, until it is widened', async () => {
    const { begun, handler, end } = visits();
    env.jobs.lanes.narrow('receiver slow');
    for (let n = 0; n < 4; n++) await add(`slow ${n}`, 'slow', 'Acme');
    await start(handler);
    await expect.poll(() => begun).toEqual(['slow 0']);
    env.jobs.lanes.widen('receiver slow');
    end('slow 0');
    await expect.poll(() => begun).toEqual(['slow 0', 'slow 1', 'slow 2']);
  });

  it('are put back when their handler finds a lane full, and run once it has room', async () => {
    const ran: string[] = [];
    let tries = 0;
    const leave = env.jobs.lanes.tryEnter('provider', 1);
    const handler = handle(visit, async ({ name }, { attempt }) => {
      tries += 1;
      const left = env.jobs.lanes.tryEnter('provider', 1);
      if (left === null) throw new LaneFull('provider');
      ran.push(`${name} ${attempt}`);
      left();
    });
    await add('code');
    await start(handler);
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 1 });
    await add('beside');
    await expect.poll(() => tries).toBe(2);
    expect(ran).toEqual([]);
    leave?.();
    await expect.poll(() => ran.toSorted()).toEqual(['beside 1', 'code 1']);
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 0 });
  });

  it('that fail are tried again later, with the reason kept', async () => {
    const handler = handle(visit, async () => Promise.reject(new Error('no luck')));
    await add('once');
    await start(handler);
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, scheduled: 1 });
    const { rows } = await env.pool.query('select last_error, attempts from jobs');
    expect(rows).toEqual([{ last_error: 'no luck', attempts: 1 }]);
  });

  it('that failed because the database was away are tried again after a second, however often they have failed', async () => {
    let error = new Error('refused');
    await start(
      handle(visit, async () => {
        throw error;
      }),
    );
    const waits = async () => {
      const { rows } = await env.pool.query(
        `select round(extract(epoch from run_at - environment_time.now())) as seconds
         from jobs where locked_by is null and attempts = 7`,
      );
      return rows.map(({ seconds }) => Number(seconds) > 60);
    };
    const addTried = async (name: string) => {
      await env.jobs.add(env.db, visit, { name }, { at: new Date(env.clock.now().getTime() + 3_600_000) });
      await env.pool.query(
        `update jobs set attempts = 6, run_at = environment_time.now() where payload->>'name' = $1
         returning pg_notify('jobs', task)`,
        [name],
      );
    };
    await addTried('refused');
    await expect.poll(waits).toEqual([true]);
    error = new DatabaseBusy('no connection');
    await addTried('busy');
    await expect.poll(async () => (await waits()).toSorted()).toEqual([false, true]);
  });

  it('that fail with a text that PostgreSQL cannot store hold up no others', async () => {
    await start(
      handle(visit, async ({ name }) => {
        if (name === 'broken') throw new Error('half\0way');
      }),
    );
    await add('broken');
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0 });
    await add('sound');
    const errors = async () => (await env.pool.query('select last_error from jobs where locked_by is null')).rows;
    await expect.poll(errors).toEqual([{ last_error: 'halfway' }]);
  });

  it('are given back by a stop that cannot wait for them, and run elsewhere as if never begun', async () => {
    const { begun, handler } = visits();
    await add('hanging');
    const worker = await start(handler);
    await expect.poll(() => begun).toEqual(['hanging']);
    await worker.stop();
    workers = [];
    expect(await countJobs(env)).toMatchObject({ running: 0, due: 1 });
    const attempts: number[] = [];
    await start(handle(visit, async (_payload, { attempt }) => void attempts.push(attempt)));
    await expect.poll(() => attempts).toEqual([1]);
  });

  it('of a process that was killed are run by another', async () => {
    const other = await processes.start('production');
    const { begun, handler } = visits();
    await add('lost');
    await start(handler, {}, other);
    await expect.poll(() => begun).toEqual(['lost']);
    workers = [];
    await processes.kill(other);
    await start(handler);
    await expect.poll(() => begun).toEqual(['lost', 'lost']);
  });

  it('are taken by one of several workers', async () => {
    const begun: string[] = [];
    const handler = handle(visit, async ({ name }) => void begun.push(name));
    const other = await processes.start('production');
    await start(handler);
    await start(handler, {}, other);
    const names = Array.from({ length: 50 }, (_, n) => `job ${n}`);
    for (const name of names) await add(name);
    await expect.poll(() => begun.length).toBe(50);
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 0 });
    expect(begun.toSorted()).toEqual(names.toSorted());
  });
});

it('the ends of jobs are written when the database is back', async () => {
  const { begun, handler, end } = visits();
  await add('patient');
  await start(handler, { pollMs: 50 });
  await expect.poll(() => begun).toEqual(['patient']);
  await env.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
                        where application_name = 'trunkline jobs' and datname = current_database()`);
  end('patient');
  await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 0 });
  expect(begun).toEqual(['patient']);
});
