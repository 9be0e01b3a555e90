/**
 * Runs jobs as they fall due, for a process with the role `worker`. A job stays locked in its table until its end is
 * written, so nothing is lost with the process. One that waits for somebody else's server holds no database connection
 * meanwhile: as many wait as their lanes allow (lanes.ts), and one that has to wait for its lane is put back. Jobs that
 * this process adds itself may be started without a look at the table (added-job.ts). Whatever happens to the database,
 * a worker tries again until it is stopped.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { offerToTake } from './added-job.ts';
import { openJobPool } from './connection.ts';
import type { JobEnvironment } from './environment.ts';
import { whileFast } from './fast-clock.ts';
import type { TaskHandler } from './handler.ts';
import { JobEnds } from './job-ends.ts';
import type { Lanes, Leave } from './lanes.ts';
import { announce, newWorkerId, releaseJobsOfTheDead } from './liveness.ts';
import { runJob } from './run-job.ts';
import { type Candidate, type StoredJobs, storedJobs, type TakenJob } from './stored-jobs.ts';
import type { Add, Taker } from './taker.ts';
import type { JobPayload, JobRun, Task } from './task.ts';

export interface Worker {
  /** Whether jobs are being taken at this moment. */
  isAlive(): boolean;
  /**
   * Takes no new job and waits for those that are running; after `abortAfterMs` their signal is aborted. Jobs that have
   * not ended shortly after that are given back.
   */
  stop(abortAfterMs?: number): Promise<void>;
}

export interface WorkerOptions {
  handlers: readonly TaskHandler[];
  /** The most jobs that run at once. Lanes keep any one account far below it. */
  most?: number;
  /**
   * Connections for taking jobs and writing their ends, shared with others and closed by them; otherwise it has its
   * own.
   */
  pool?: Pool;
  /** How often it looks for jobs whose time has come; for new ones it is woken. */
  pollMs?: number;
  /** How long a stop waits for running jobs before it aborts them and returns them to the queue. */
  patienceMs?: number;
}

const takenAtOnce = 64;
/** More than are taken: other processes take some of them, and where there are lanes many may belong to one. */
const looked = { perRoom: 4, withLanes: 256 };
/** As `queue_job` stores it. */
const usualAttempts = 25;
/** After this a job that has been given up and still does not end is left behind. */
const abortedMs = 2_000;

export async function startWorker(env: JobEnvironment, options: WorkerOptions): Promise<Worker> {
  if (options.handlers.length === 0) return { isAlive: () => true, stop: async () => undefined };
  // One for taking jobs and one for writing their ends; their statements are short.
  const pool = options.pool ?? openJobPool(env, 2);
  const id = newWorkerId();
  await releaseJobsOfTheDead(env.pool);
  const names = options.handlers.map(({ task }) => task.name);
  const stopAnnouncing = await announce(env.changes, id);
  const stopListening = await env.changes.onConnected(async (client) => {
    await client.query('listen jobs');
  });
  const worker = new JobWorker(env, storedJobs(pool, id, names), options);
  const wake = () => worker.wake();
  const forget = [
    // The notification names the task of a new job, or none.
    env.changes.on('jobs', (task) => {
      if (task === '' || names.includes(task)) wake();
    }),
    env.changes.on('clock', wake),
    env.jobs.lanes.onRoom(wake),
    stopListening,
    offerToTake(env, worker),
  ];
  const poll = setInterval(() => worker.poll(), options.pollMs ?? 1_000).unref();
  const hurry = whileFast(env.clock, wake);
  wake();
  return {
    isAlive: () => env.changes.connected && !worker.isFailing,
    async stop(abortAfterMs = options.patienceMs ?? 10_000) {
      clearInterval(poll);
      hurry.stop();
      for (const end of forget) end();
      await worker.stop(abortAfterMs);
      await stopAnnouncing().catch(() => undefined);
      if (options.pool === undefined) pool.end().catch(() => undefined);
    },
  };
}

interface StartOptions {
  /** Instead of the handler. */
  run?: (context: JobRun) => Promise<unknown>;
  leave?: Leave | undefined;
}

class JobWorker implements Taker {
  readonly #env: JobEnvironment;
  readonly #jobs: StoredJobs;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #most: number;
  readonly #hasLanes: boolean;
  readonly #lanes: Lanes;
  /** By id, until the end is written. */
  readonly #running = new Map<string, Promise<void>>();
  /** Running statements that lock jobs for this worker. */
  readonly #acquiring = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
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
  /** Jobs whose handlers run; the end of one that has run may still be to be written. */
  #busy = 0;
  #isFailing = false;

  constructor(env: JobEnvironment, jobs: StoredJobs, { handlers, most = 1_000 }: WorkerOptions) {
    this.#env = env;
    this.#jobs = jobs;
    this.#most = most;
    this.#hasLanes = handlers.some(({ task }) => Object.keys(task.lanes).length > 0);
    this.#lanes = env.jobs.lanes;
    this.#handlers = new Map(handlers.map((handler) => [handler.task.name, handler]));
    this.#ends = new JobEnds(jobs, env.log, this.#abort.signal);
  }

  /** Whether its last look for jobs has failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Looks for jobs, now or as soon as the current look has ended. */
  wake(): void {
    this.#again = true;
    this.#taking ??= this.#take()
      .then(() => {
        this.#isFailing = false;
      })
      .catch((error) => {
        // The next poll tries again.
        this.#again = false;
        this.#isFailing = true;
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
    const isAble = !this.#stopped && this.#env.changes.connected && this.#busy < this.#most;
    return isAble && this.#handlers.has(task.name);
  }

  addAndStart<Result, Payload extends JobPayload>(task: Task<Payload>, add: Add<Result, Payload>): Promise<Result> {
    return this.#acquire(async () => {
      const { result, job } = await add(this.#jobs.workerId);
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
    this.#stopping.abort();
    await this.#taking;
    await this.#settledWithin(patienceMs);
    this.#abort.abort();
    await this.#settledWithin(abortedMs);
    await this.#jobs.returnAll().catch((error) => this.#env.log.warn({ err: error }, 'could not give jobs back'));
  }

  async #take(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      // Its lock is lost with the connection: others would give back what it takes.
      if (!this.#env.changes.connected) return;
      const room = Math.min(takenAtOnce, this.#most - this.#busy);
      this.#waitsForRoom = room <= 0;
      if (this.#waitsForRoom) return;
      const wanted = this.#hasLanes ? looked.withLanes : looked.perRoom * room;
      const candidates = await this.#jobs.candidates(wanted, this.#lanes.full());
      const chosen = this.#choose(candidates, room);
      if (chosen.size === 0) return;
      try {
        await this.#acquire(async () => {
          for (const job of await this.#jobs.take([...chosen.keys()])) {
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
    const held = await this.#jobs.held();
    // Some of them may belong to statements whose response is on its way.
    await Promise.allSettled(this.#acquiring);
    this.#startedDuringLook = null;
    if (this.#stopped) return;
    for (const job of held) if (!started.has(job.id)) this.#start(job);
  }

  #start(job: TakenJob, { run, leave }: StartOptions = {}): void {
    this.#startedDuringLook?.add(job.id);
    this.#busy += 1;
    const running = this.#outsideRequests(async () => {
      const handler = this.#handlers.get(job.task);
      const [stopping, signal] = [this.#stopping.signal, this.#abort.signal];
      const end = await runJob(this.#env, job, { handler, run, stopping, signal });
      this.#busy -= 1;
      leave?.();
      if (this.#waitsForRoom) this.wake();
      await this.#ends.write(job, end);
      this.#running.delete(job.id);
      // A job that was put back for its lane may have missed the moment when that got room.
      if (end.kind === 'returned') this.wake();
    });
    this.#running.set(job.id, running);
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
