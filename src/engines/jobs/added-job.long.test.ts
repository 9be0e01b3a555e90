/** Jobs that run in the process that adds them, and those that wait in the queue after all. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { startQuietWorker } from '../../../test/support/quiet-worker.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { ClientPresence, currentWork, type RequestWork, runAsWork } from '../db/work.ts';
import { addAndRun } from './added-job.ts';
import { handle } from './handler.ts';
import { countJobs } from './inspect.ts';
import type { AddedJob } from './taker.ts';
import { defineTask } from './task.ts';
import type { Worker, WorkerOptions } from './worker.ts';

const send = defineTask<{ name: string }>('test.send', { priority: 'codes', outward: true });

let processes: Processes;
let env: WholeEnvironment;
let workers: Worker[];
let ran: string[];
beforeEach(async () => {
  processes = await createProcesses();
  env = await processes.start('production');
  workers = [];
  ran = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.stop();
  await processes.close();
});

const handler = handle(
  send,
  async ({ name }, { attempt }) => void ran.push(`${name} by its handler, attempt ${attempt}`),
);

async function start(place = env, options: Partial<WorkerOptions> = {}): Promise<Worker> {
  const worker = await startQuietWorker(place, handler, options);
  workers.push(worker);
  return worker;
}

const atOnce: AddedJob<{ name: string }>['run'] = async () => void ran.push('at once');

/** Adds a job; `afterCommit` may let the process believe that this failed. */
const add = (name: string, run = atOnce, afterCommit = async () => {}, place = env) =>
  addAndRun(place, send, async (takenBy) => {
    const now = place.clock.now();
    const payload = { name };
    const { rows } = await place.pool.query<{ id: string }>(
      'select queue_job($1, $2, $3, taken_by => $4)::text as id',
      [send.name, JSON.stringify(payload), now, takenBy],
    );
    await afterCommit();
    return { result: takenBy, job: { id: rows[0]?.id ?? '', payload, dueAt: now, run } };
  });

const stored = async () => (await env.pool.query('select attempts, locked_by, last_error from jobs')).rows;

describe('a job that is added in a process with a worker for it', () => {
  it('is run by that worker at once, stored as taken meanwhile, and nobody else is told of it', async () => {
    const other = await processes.start('production');
    await start();
    await start(other);
    const notified: string[] = [];
    other.changes.on('jobs', (about) => notified.push(about));
    const going = Promise.withResolvers<void>();
    const takenBy = await add('code', async (context) => {
      await going.promise;
      ran.push(`at once, attempt ${context.attempt}`);
    });
    expect(await stored()).toEqual([{ attempts: 1, locked_by: takenBy, last_error: null }]);
    going.resolve();
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 0 });
    expect(ran).toEqual(['at once, attempt 1']);
    // Notifications come in the order of their commits.
    await env.pool.query(`select pg_notify('jobs', 'end')`);
    await expect.poll(() => notified).toEqual(['end']);
  });

  it('belongs to no request, whoever adds it', async () => {
    await start();
    const request: RequestWork = {
      lane: 'verification',
      client: new ClientPresence(),
      reads: false,
      accountId: null,
      waitedMs: 0,
      ended: false,
    };
    await runAsWork(request, () =>
      add('code', async () => void ran.push(`work of ${currentWork()?.lane ?? 'no request'}`)),
    );
    await expect.poll(() => ran).toEqual(['work of no request']);
  });

  it('is tried again by its handler when the first run fails', async () => {
    await start();
    await add('code', async () => Promise.reject(new Error('no luck')));
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, scheduled: 1 });
    expect(await stored()).toEqual([{ attempts: 1, locked_by: null, last_error: 'no luck' }]);
    await env.pool.query(`update jobs set run_at = now()`);
    await env.pool.query(`select pg_notify('jobs', '')`);
    await expect.poll(() => ran).toEqual(['code by its handler, attempt 2']);
  });

  it('is run by another process when this one is killed', async () => {
    const other = await processes.start('production');
    await start(other);
    await add('code', () => new Promise(() => {}), undefined, other);
    workers = [];
    await processes.kill(other);
    await start();
    await expect.poll(() => ran).toEqual(['code by its handler, attempt 2']);
  });

  it('is run although the response to its commit was lost, once, as are those around it', async () => {
    await start(env, { pollMs: 20 });
    const others = Array.from({ length: 20 }, (_, n) => `other ${n}`);
    const lost = add('lost', atOnce, async () => Promise.reject(new Error('Connection terminated')));
    const added = Promise.all(others.map((name) => add(name, async () => void ran.push(`${name} at once`))));
    await expect(lost).rejects.toThrow('Connection terminated');
    await added;
    await expect.poll(() => countJobs(env)).toMatchObject({ running: 0, due: 0 });
    const expected = [...others.map((name) => `${name} at once`), 'lost by its handler, attempt 1'];
    expect(ran.toSorted()).toEqual(expected.toSorted());
  });

  it('is waited for by a stop, also while it is being added', async () => {
    const worker = await start(env, { patienceMs: 10_000 });
    const committed = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const added = add('code', atOnce, async () => {
      committed.resolve();
      await going.promise;
    });
    await committed.promise;
    const stopped = worker.stop();
    workers = [];
    going.resolve();
    await Promise.all([added, stopped]);
    expect(ran).toEqual(['at once']);
    expect(await countJobs(env)).toMatchObject({ running: 0, due: 0 });
  });
});

describe('it waits in the queue', () => {
  it.each([
    ['where no worker runs', async () => undefined],
    ['where the worker has stopped', async () => void (await (await start()).stop())],
    ['where the worker has no room', async () => void (await start(env, { most: 0 }))],
  ])('%s', async (_place, prepare) => {
    await prepare();
    expect(await add('code')).toBeNull();
    expect(await stored()).toEqual([{ attempts: 0, locked_by: null, last_error: null }]);
    expect(ran).toEqual([]);
  });
});
