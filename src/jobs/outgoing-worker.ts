/**
 * Runs jobs that wait for somebody else's server. Such a job stays locked in the queue until its end is written, as every
 * job does, so nothing is lost with the process. But while it waits it holds neither a worker's slot nor a database
 * connection: as many wait as their lanes allow (lanes.ts), and one that has to wait for its lane is put back.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { openJobPool } from './connection.ts';
import type { TaskHandler } from './handler.ts';
import { LaneFull, type Lanes, type Leave, lanesOf } from './lanes.ts';
import { announce, releaseJobsOfTheDead } from './liveness.ts';
import { type Candidate, type JobEnd, type OutgoingQueue, openOutgoingQueue, type TakenJob } from './outgoing-queue.ts';
import { asJob } from './self-planning.ts';
import { asPayload, untilDue } from './task-list.ts';
import type { Worker } from './worker.ts';

export interface OutgoingWorkerOptions {
  handlers: readonly TaskHandler[];
  /** Jobs under way at once, at most. Lanes keep any one account far below it. */
  most?: number;
  /** How often it looks for jobs whose time has come; for new ones it is woken. */
  pollMs?: number;
  /** How long a stop waits for jobs under way before it gives them up and their jobs back. */
  patienceMs?: number;
}

const takenAtOnce = 64;
/** More than are taken, since many may belong to one lane. */
const lookedAtOnce = 256;
/** After this a job that has been given up and still does not end is left behind. */
const abortedMs = 2_000;

export async function startOutgoingWorker(env: Environment, options: OutgoingWorkerOptions): Promise<Worker> {
  if (options.handlers.length === 0) return { isAlive: () => true, stop: async () => undefined };
  const pool = openJobPool(env, 3);
  const id = `pool-${randomBytes(9).toString('hex')}`;
  await releaseJobsOfTheDead(env.pool);
  const names = options.handlers.map(({ task }) => task.name);
  const queue = await openOutgoingQueue(pool, id, names);
  const stopAnnouncing = await announce(env.changes, id);
  const stopListening = await env.changes.onConnected(async (client) => {
    await client.query('listen "jobs:insert"');
  });
  const worker = new OutgoingWorker(env, queue, options);
  const wake = () => worker.wake();
  const forget = [
    env.changes.on('jobs:insert', (about) => {
      if (mayConcern(about, names)) wake();
    }),
    env.changes.on('clock', wake),
    lanesOf(env).onRoom(wake),
    stopListening,
  ];
  const poll = setInterval(wake, options.pollMs ?? 1_000).unref();
  wake();
  return {
    // It tries again by itself whatever happens to the database.
    isAlive: () => env.changes.connected,
    async stop(abortAfterMs = options.patienceMs ?? 10_000) {
      clearInterval(poll);
      for (const end of forget) end();
      await worker.stop(abortAfterMs);
      await stopAnnouncing();
      pool.end().catch(() => undefined);
    },
  };
}

/** A notification names the task of a new job, unless the queue's own function sent it. */
const mayConcern = (about: string, taskNames: readonly string[]): boolean =>
  !about.includes('"task"') || taskNames.some((name) => about.includes(`"${name}"`));

class OutgoingWorker {
  readonly #env: Environment;
  readonly #queue: OutgoingQueue;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #most: number;
  readonly #lanes: Lanes;
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #ends: { job: TakenJob; end: JobEnd }[] = [];
  #writing: Promise<boolean> | null = null;
  #taking: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(env: Environment, queue: OutgoingQueue, { handlers, most = 1_000 }: OutgoingWorkerOptions) {
    this.#env = env;
    this.#queue = queue;
    this.#most = most;
    this.#lanes = lanesOf(env);
    this.#handlers = new Map(handlers.map((handler) => [handler.task.name, handler]));
  }

  /** Looks for jobs, now or as soon as the look under way is over. */
  wake(): void {
    this.#again = true;
    this.#taking ??= this.#take()
      .catch((error) => {
        // The next poll tries again.
        this.#again = false;
        this.#env.log.warn({ err: error }, 'could not take outgoing jobs');
      })
      .finally(() => {
        this.#taking = null;
        if (this.#again && !this.#stopped) this.wake();
      });
  }

  /** Waits that long for what is under way, then gives it up; the queue has back what did not end. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopped = true;
    await this.#taking;
    await this.#settledWithin(patienceMs);
    this.#abort.abort();
    await this.#settledWithin(abortedMs);
    await this.#queue
      .returnAll()
      .catch((error) => this.#env.log.warn({ err: error }, 'could not give outgoing jobs back'));
  }

  async #take(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const room = Math.min(takenAtOnce, this.#most - this.#running.size);
      // The end of a job wakes it again.
      if (room <= 0) return;
      const candidates = await this.#queue.candidates(lookedAtOnce, this.#lanes.full());
      const chosen = this.#choose(candidates, room);
      if (chosen.size === 0) return;
      try {
        for (const job of await this.#queue.take([...chosen.keys()])) {
          this.#start(job, chosen.get(job.id));
          chosen.delete(job.id);
        }
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

  #start(job: TakenJob, leave: Leave | undefined): void {
    const run = this.#run(job)
      .finally(leave)
      .then((end) => this.#finish(job, end));
    this.#running.add(run);
    void run.finally(() => {
      this.#running.delete(run);
      this.wake();
    });
  }

  async #run(job: TakenJob): Promise<JobEnd> {
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
      await asJob(handler.task, payload, () => handler.run(payload, context));
      return { kind: 'done' };
    } catch (error) {
      if (error instanceof LaneFull) return { kind: 'returned', lane: error.lane };
      if (signal.aborted) return { kind: 'returned', lane: null };
      this.#env.log.error({ err: error, task: job.task, job: job.id }, 'a job failed');
      return { kind: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A job whose end is not written would stay locked for as long as this process lives, so it is tried until it works. */
  async #finish(job: TakenJob, end: JobEnd): Promise<void> {
    const one = { job, end };
    this.#ends.push(one);
    while (this.#ends.includes(one)) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = null;
      });
      if (await this.#writing) continue;
      if (this.#abort.signal.aborted) return;
      await pause(500);
    }
  }

  /** Whatever has ended by now, in one go. False when the database could not be reached. */
  async #write(): Promise<boolean> {
    const ends = [...this.#ends];
    try {
      await this.#queue.end(ends);
      this.#ends = this.#ends.filter((one) => !ends.includes(one));
      return true;
    } catch (error) {
      this.#env.log.warn({ err: error, jobs: ends.length }, 'could not write the ends of outgoing jobs');
      return false;
    }
  }

  async #settledWithin(ms: number): Promise<void> {
    const waited = new AbortController();
    const settled = Promise.allSettled(this.#running).then(() => waited.abort());
    await Promise.race([settled, pause(ms, undefined, { signal: waited.signal }).catch(() => undefined)]);
  }
}
