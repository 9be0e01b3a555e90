/**
 * Runs jobs that wait for somebody else's server, and those that usually run where they are added. Such a job stays
 * locked in the queue until its end is written, as every job does, so nothing is lost with the process. But while it
 * waits it holds neither a worker's slot nor a database connection: as many wait as their lanes allow (lanes.ts), and
 * one that has to wait for its lane is put back. Jobs that this process adds itself may be started without a look at the
 * queue (added-job.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isUnavailable } from '../db/unavailable.ts';
import type { Environment } from '../environment.ts';
import { type Add, jobDeleted, offerToTake, type Taker } from './added-job.ts';
import { openJobPool } from './connection.ts';
import { whileFast } from './fast-clock.ts';
import type { TaskContext, TaskHandler } from './handler.ts';
import { JobEnds } from './job-ends.ts';
import { type Candidate, type JobEnd, type LaneQueue, openLaneQueue, type TakenJob } from './lane-queue.ts';
import { LaneFull, type Lanes, type Leave, lanesOf } from './lanes.ts';
import { announce, releaseJobsOfTheDead } from './liveness.ts';
import { asJob } from './queue.ts';
import type { JobPayload, Task } from './task.ts';
import { asPayload, untilDue } from './task-list.ts';
import type { Worker } from './worker.ts';

export interface LaneWorkerOptions {
  handlers: readonly TaskHandler[];
  /** The most jobs that run at once. Lanes keep any one account far below it. */
  most?: number;
  /** Connections for taking jobs and writing their ends, shared with others and closed by them; otherwise it has its own. */
  pool?: Pool;
  /** How often it looks for jobs whose time has come; for new ones it is woken. */
  pollMs?: number;
  /** How long a stop waits for running jobs before it aborts them and returns them to the queue. */
  patienceMs?: number;
}

const takenAtOnce = 64;
/** More than are taken, since many may belong to one lane. */
const lookedAtOnce = 256;
/** As `queue_job` stores it. */
const usualAttempts = 25;
/** After this a job that has been given up and still does not end is left behind. */
const abortedMs = 2_000;

export async function startLaneWorker(env: Environment, options: LaneWorkerOptions): Promise<Worker> {
  if (options.handlers.length === 0) return { isAlive: () => true, stop: async () => undefined };
  // One for taking jobs and one for writing their ends; their statements are short.
  const pool = options.pool ?? openJobPool(env, 2);
  const id = `pool-${randomBytes(9).toString('hex')}`;
  await releaseJobsOfTheDead(env.pool);
  const names = options.handlers.map(({ task }) => task.name);
  const queue = await openLaneQueue(pool, id, names);
  const stopAnnouncing = await announce(env.changes, id);
  const stopListening = await env.changes.onConnected(async (client) => {
    await client.query('listen "jobs:insert"');
  });
  const worker = new LaneWorker(env, queue, options);
  const wake = () => worker.wake();
  const forget = [
    env.changes.on('jobs:insert', (about) => {
      if (mayConcern(about, names)) wake();
    }),
    env.changes.on('clock', wake),
    lanesOf(env).onRoom(wake),
    stopListening,
    offerToTake(env, worker),
  ];
  const poll = setInterval(() => worker.poll(), options.pollMs ?? 1_000).unref();
  const hurry = whileFast(env.clock, wake);
  wake();
  return {
    // It tries again by itself whatever happens to the database.
    isAlive: () => env.changes.connected,
    async stop(abortAfterMs = options.patienceMs ?? 10_000) {
      clearInterval(poll);
      hurry.stop();
      for (const end of forget) end();
      await worker.stop(abortAfterMs);
      await stopAnnouncing();
      if (options.pool === undefined) pool.end().catch(() => undefined);
    },
  };
}

/** A notification names the task of a new job, unless the queue's own function sent it. */
const mayConcern = (about: string, taskNames: readonly string[]): boolean =>
  !about.includes('"task"') || taskNames.some((name) => about.includes(`"${name}"`));

interface StartOptions {
  /** Instead of the handler. */
  run?: (context: TaskContext) => Promise<unknown>;
  leave?: Leave | undefined;
}

class LaneWorker implements Taker {
  readonly #env: Environment;
  readonly #queue: LaneQueue;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #most: number;
  readonly #lanes: Lanes;
  /** By id, until the end is written. */
  readonly #running = new Map<string, Promise<void>>();
  /** Running statements that lock jobs for this worker. */
  readonly #acquiring = new Set<Promise<unknown>>();
  readonly #abort = new AbortController();
  readonly #ends: JobEnds;
  /** Jobs belong to no request, also when a request has added them. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot();
  #taking: Promise<void> | null = null;
  #again = false;
  #waitsForRoom = false;
  #mayHaveLost = false;
  #startedDuringLook: Set<string> | null = null;
  #stopped = false;

  constructor(env: Environment, queue: LaneQueue, { handlers, most = 1_000 }: LaneWorkerOptions) {
    this.#env = env;
    this.#queue = queue;
    this.#most = most;
    this.#lanes = lanesOf(env);
    this.#handlers = new Map(handlers.map((handler) => [handler.task.name, handler]));
    this.#ends = new JobEnds(queue, env.log, this.#abort.signal);
  }

  /** Looks for jobs, now or as soon as the current look has ended. */
  wake(): void {
    this.#again = true;
    this.#taking ??= this.#take()
      .catch((error) => {
        // The next poll tries again.
        this.#again = false;
        this.#env.log.warn({ err: error }, 'could not take jobs');
      })
      .finally(() => {
        this.#taking = null;
        if (this.#again && !this.#stopped) this.wake();
      });
  }

  /** Looks for jobs whose time has come, and for those that were taken without this worker's knowledge. */
  poll(): void {
    this.wake();
    if (!this.#mayHaveLost) return;
    this.#mayHaveLost = false;
    this.#startLost().catch((error) => {
      this.#mayHaveLost = true;
      this.#env.log.warn({ err: error }, 'could not look for jobs whose taking was interrupted');
    });
  }

  /** Not while the lock is lost that says that this worker lives: others would take the job for left behind. */
  takes(task: Task): boolean {
    const isAble = !this.#stopped && this.#env.changes.connected && this.#running.size < this.#most;
    return isAble && this.#handlers.has(task.name);
  }

  addAndStart<Result, Payload extends JobPayload>(task: Task<Payload>, add: Add<Result, Payload>): Promise<Result> {
    return this.#acquire(async () => {
      const { result, job } = await add(this.#queue.workerId);
      if (job !== null) {
        const { id, payload, dueAt, run } = job;
        const taken = { id, task: task.name, payload, run_at: dueAt, attempts: 1, max_attempts: usualAttempts };
        this.#start(taken, { run });
      }
      return result;
    });
  }

  /** Waits that long for running jobs, then aborts them; those that have not ended return to the queue. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopped = true;
    await this.#taking;
    await this.#settledWithin(patienceMs);
    this.#abort.abort();
    await this.#settledWithin(abortedMs);
    await this.#queue.returnAll().catch((error) => this.#env.log.warn({ err: error }, 'could not give jobs back'));
  }

  async #take(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const room = Math.min(takenAtOnce, this.#most - this.#running.size);
      this.#waitsForRoom = room <= 0;
      if (this.#waitsForRoom) return;
      const candidates = await this.#queue.candidates(lookedAtOnce, this.#lanes.full());
      const chosen = this.#choose(candidates, room);
      if (chosen.size === 0) return;
      try {
        await this.#acquire(async () => {
          for (const job of await this.#queue.take([...chosen.keys()])) {
            this.#start(job, { leave: chosen.get(job.id) });
            chosen.delete(job.id);
          }
        });
      } finally {
        for (const leave of chosen.values()) leave();
      }
      // Others may be due behind what was looked at, or behind a lane that is full now.
      this.#again = true;
    }
  }

  /** In the queue's order, as many as fit into their lanes. */
  #choose(candidates: readonly Candidate[], room: number): Map<string, Leave> {
    const chosen = new Map<string, Leave>();
    for (const { id, task, lanes } of candidates) {
      if (chosen.size === room) break;
      const limits = this.#handlers.get(task)?.task.lanes ?? {};
      const entering = lanes.flatMap((name) => {
        const limit = limits[name.split(' ', 1)[0] ?? ''];
        return limit === undefined ? [] : [{ name, limit }];
      });
      const leave = lanes.some((lane) => this.#lanes.isFull(lane)) ? null : this.#lanes.tryEnterAll(entering);
      if (leave !== null) chosen.set(id, leave);
    }
    return chosen;
  }

  /** `work` makes jobs this worker's own and starts them. When it fails, it may have got as far as the first. */
  async #acquire<T>(work: () => Promise<T>): Promise<T> {
    const acquired = work();
    this.#acquiring.add(acquired);
    try {
      return await acquired;
    } catch (error) {
      this.#mayHaveLost = true;
      throw error;
    } finally {
      this.#acquiring.delete(acquired);
    }
  }

  /** Starts jobs that are stored as taken by this worker and never were started, because a response was lost. */
  async #startLost(): Promise<void> {
    const started = new Set(this.#running.keys());
    this.#startedDuringLook = started;
    const held = await this.#queue.held();
    // Some of them may belong to statements whose response is on its way.
    await Promise.allSettled(this.#acquiring);
    this.#startedDuringLook = null;
    if (this.#stopped) return;
    for (const job of held) if (!started.has(job.id)) this.#start(job);
  }

  #start(job: TakenJob, { run, leave }: StartOptions = {}): void {
    this.#startedDuringLook?.add(job.id);
    const running = this.#outsideRequests(async () => {
      const end = await this.#run(job, run).finally(leave);
      if (end.kind !== 'deleted') await this.#ends.write(job, end);
      this.#running.delete(job.id);
      // A job that was put back for its lane may have missed the moment when that got room.
      if (this.#waitsForRoom || end.kind === 'returned') this.wake();
    });
    this.#running.set(job.id, running);
  }

  async #run(job: TakenJob, run?: StartOptions['run']): Promise<JobEnd> {
    const { signal } = this.#abort;
    try {
      const handler = this.#handlers.get(job.task);
      if (handler === undefined) throw new Error(`nobody handles ${job.task}`);
      await untilDue(this.#env.clock, job.run_at);
      const payload = asPayload(job.payload);
      const context = {
        env: this.#env,
        dueAt: job.run_at,
        attempt: job.attempts,
        maxAttempts: job.max_attempts,
        signal,
      };
      const result = await asJob<unknown>(handler.task, payload, () => run?.(context) ?? handler.run(payload, context));
      return { kind: result === jobDeleted ? 'deleted' : 'done' };
    } catch (error) {
      if (error instanceof LaneFull) return { kind: 'returned', lane: error.lane };
      if (signal.aborted) return { kind: 'returned', lane: null };
      this.#env.log.error({ err: error, task: job.task, job: job.id }, 'a job failed');
      const text = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', error: text, isOutage: isUnavailable(error) };
    }
  }

  async #settledWithin(ms: number): Promise<void> {
    const waited = new AbortController();
    // What is being acquired is started by then.
    const settled = Promise.allSettled(this.#acquiring)
      .then(() => Promise.allSettled(this.#running.values()))
      .then(() => waited.abort());
    await Promise.race([settled, pause(ms, undefined, { signal: waited.signal }).catch(() => undefined)]);
  }
}
