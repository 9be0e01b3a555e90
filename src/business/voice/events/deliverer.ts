/**
 * Delivers events in one process. Only one process at a time works on a lane (one account's stream): it holds an
 * advisory lock on its own connection, which is released if the process dies. Lanes do not wait for each other. Retries
 * are jobs, so that an advance of the sandbox clock stops at each of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { locks } from '../../../engines/db/locks.ts';
import { connectionOf } from '../../../engines/db/pool.ts';
import { DatabaseClient, keptAlive } from '../../../engines/db/servers/client.ts';
import type { StreamName } from '../../../engines/db/tables/calls.ts';
import { requestTimeouts, timeoutSettings } from '../../../engines/db/timeouts.ts';
import { outsideRequests } from '../../../engines/db/work.ts';
import type { Environment, Once } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import type { WithListeners } from '../../callbacks/listeners.ts';
import { drainLane } from './lane.ts';
import { dueLanes, type Lane, nextDue } from './queue.ts';
import { createSettingsReader, type ReadSettings, streamNames } from './stream-settings.ts';

type DeliverEvents = { account_id: string; stream: StreamName };

/** Delivers call events whose retry is due. */
const deliverEventsTask = defineTask<DeliverEvents>('voice.deliver_events', { priority: 'events', outward: true });

/** One per process and environment; a process without the role `worker` has one if it woke any lane. */
export interface WithDeliverer {
  readonly deliverer: Once<Deliverer>;
}

type DelivererEnvironment = Environment & WithDeliverer & WithListeners;

/** Created on first use. */
export function delivererOf(env: DelivererEnvironment): Deliverer {
  env.deliverer.made ??= new Deliverer(env);
  return env.deliverer.made;
}

const idleBeforeUnlockMs = 1_000;

interface Work {
  lane: Lane;
  running: Promise<void> | null;
  /** New events arrived during the run. */
  again: boolean;
  lastUsed: number;
}

export class Deliverer {
  readonly #env: DelivererEnvironment;
  readonly #readSettings: ReadSettings;
  readonly #works = new Map<string, Work>();
  #locks: Promise<pg.Client> | null = null;
  /** Serialises the queries on the connection that holds the locks. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #abort = new AbortController();
  #unlocking: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(env: DelivererEnvironment) {
    this.#env = env;
    this.#readSettings = createSettingsReader(env);
  }

  /**
   * Called when events have been committed, of this stream or of any. Where the stream is known, other lanes of the
   * account are woken only while they are in use.
   */
  wake(accountId: string, written: StreamName | 'any stream'): void {
    for (const stream of streamNames) {
      const lane = { accountId, stream };
      if (written === 'any stream' || written === stream || this.#works.has(keyOf(lane))) void this.deliver(lane);
    }
  }

  /** Tries to deliver everything due in lanes that no other process holds; resolves when all of it has been tried. */
  async deliverDue(): Promise<void> {
    const due = await dueLanes(this.#env);
    await Promise.all(due.map((lane) => this.deliver(lane)));
  }

  /** Like `deliverDue`, but does not wait for slow receivers: called by the timer. Returns whether anything was due. */
  async startDue(): Promise<boolean> {
    const due = await dueLanes(this.#env);
    for (const lane of due) void this.deliver(lane);
    return due.length > 0;
  }

  /** Aborts running requests; their events are still due and are delivered after the next start. */
  async stop(): Promise<void> {
    const { deliverer } = this.#env;
    if (deliverer.made === this) deliverer.made = undefined;
    this.#stopped = true;
    clearTimeout(this.#unlocking ?? undefined);
    this.#abort.abort();
    await Promise.all([...this.#works.values()].map(({ running }) => running));
    await this.#disconnect();
  }

  /** Resolves when everything due in the lane has been tried, unless another process holds it. */
  deliver(lane: Lane): Promise<void> {
    const key = keyOf(lane);
    const work: Work = this.#works.get(key) ?? { lane, running: null, again: false, lastUsed: 0 };
    this.#works.set(key, work);
    work.again = true;
    // Whoever wrote the events may be gone before they are delivered.
    work.running ??= outsideRequests(() => this.#run(work)).finally(() => {
      work.running = null;
      this.#unlockLater();
    });
    return work.running;
  }

  async #run(work: Work): Promise<void> {
    try {
      while (work.again && !this.#stopped) {
        work.again = false;
        if (work.lastUsed === 0 && !(await this.#lock(work))) return;
        const { waits } = await drainLane(this.#env, work.lane, this.#readSettings, this.#abort.signal);
        work.lastUsed = performance.now();
        if (waits) await this.#scheduleRetry(work.lane);
      }
    } catch (error) {
      if (!this.#stopped)
        this.#env.log.error({ err: error, account: work.lane.accountId }, 'events could not be delivered');
    }
  }

  /**
   * Adds a job for the next retry. The timer would find it too; the job makes an advance of the sandbox clock stop
   * there.
   */
  async #scheduleRetry(lane: Lane): Promise<void> {
    const at = await nextDue(this.#env, lane);
    // What is due already is found by the timer, or by the job that is running.
    if (at === null || at <= this.#env.clock.now()) return;
    await addDelivery(this.#env, lane, at);
  }

  async #lock(work: Work): Promise<boolean> {
    const got = await this.#ask('pg_try_advisory_lock', keyOf(work.lane));
    if (got) work.lastUsed = performance.now();
    else this.#works.delete(keyOf(work.lane));
    return got;
  }

  /**
   * Idle lanes are unlocked by a timer of their own: a process that only wakes lanes (one with the role `api`) would
   * otherwise keep them from the processes that retry.
   */
  #unlockLater(): void {
    if (this.#stopped || this.#works.size === 0) return;
    this.#unlocking ??= setTimeout(() => {
      this.#unlocking = null;
      this.#unlockIdle()
        .catch((error) => {
          this.#env.log.warn({ err: error }, 'lanes of call events could not be unlocked');
          return this.#disconnect();
        })
        .finally(() => this.#unlockLater());
    }, idleBeforeUnlockMs).unref();
  }

  async #unlockIdle(): Promise<void> {
    const now = performance.now();
    for (const [key, work] of this.#works) {
      if (work.running !== null || now - work.lastUsed < idleBeforeUnlockMs) continue;
      this.#works.delete(key);
      if (work.lastUsed !== 0) await this.#ask('pg_advisory_unlock', key);
    }
  }

  /** Releases every lock. */
  async #disconnect(): Promise<void> {
    const client = await this.#locks?.catch(() => null);
    await client?.end().catch(() => undefined);
  }

  #ask(what: 'pg_try_advisory_lock' | 'pg_advisory_unlock', key: string): Promise<boolean> {
    const answer = this.#turn.then(async () => {
      this.#locks ??= this.#connect();
      const client = await this.#locks;
      const values = [locks.eventLane, key];
      const { rows } = await client.query<{ yes: boolean }>(`select ${what}($1, hashtext($2)) as yes`, values);
      return rows[0]?.yes ?? false;
    });
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Opens the connection that holds the locks. If it breaks, the locks are lost and each lane is locked again before
   * the next delivery.
   */
  async #connect(): Promise<pg.Client> {
    const client = new DatabaseClient({
      connectionString: connectionOf(this.#env.pool),
      ...keptAlive,
      application_name: 'trunkline events',
    });
    const lost = () => {
      this.#locks = null;
      for (const work of this.#works.values()) work.lastUsed = 0;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      await client.query(timeoutSettings(requestTimeouts));
    } catch (error) {
      this.#locks = null;
      throw error;
    }
    return client;
  }
}

/** Adds the delivery job of a lane, one per lane; it runs at once if no time is given. */
function addDelivery(env: Environment, lane: Lane, at?: Date): Promise<void> {
  const payload = { account_id: lane.accountId, stream: lane.stream };
  const options = { key: `call events ${keyOf(lane)}`, ...(at === undefined ? {} : { at }) };
  return env.jobs.add(env.db, deliverEventsTask, payload, options);
}

const keyOf = (lane: Lane): string => `${lane.accountId} ${lane.stream}`;

/** Runs the job of a lane. If another process is delivering the lane, waits until nothing in it is due. */
async function deliver(
  { account_id, stream }: DeliverEvents,
  { env, signal }: TaskContext<DelivererEnvironment>,
): Promise<void> {
  const lane: Lane = { accountId: account_id, stream };
  const deliverer = delivererOf(env);
  do {
    await deliverer.deliver(lane);
    const due = await dueLanes(env);
    if (!due.some(({ accountId, stream }) => accountId === lane.accountId && stream === lane.stream)) return;
    await sleep(20);
  } while (!signal.aborted);
}

/**
 * Adds jobs for all due lanes. First deliveries run without a job; an advance that did not wait for them would skip
 * their retries.
 */
async function collect(env: Environment): Promise<number> {
  const lanes = await dueLanes(env);
  for (const lane of lanes) await addDelivery(env, lane);
  return lanes.length;
}

export const deliverDueEvents = handle(deliverEventsTask, deliver, { collect });
