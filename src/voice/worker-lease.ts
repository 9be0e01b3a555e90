/**
 * The lease of a process on the calls it carries: a counter that the process increments while it lives. Another process
 * that sees the counter unchanged for long enough, by its own monotonic clock, ends those calls.
 */
import type { Environment } from '../environment.ts';
import type { Call } from './call.ts';
import { endCallsWhere } from './end-elsewhere.ts';

export const heartbeatMs = 1_000;
/** Eight missed heartbeats: a pause of the event loop must not end calls. */
const goneAfterMs = 8_000;

/** How the calls of a process that stops or is gone end. */
export const lost = { code: 500, reason: 'Server Internal Error', initiator: 'switch' } as const;

export async function heartbeat(env: Environment, workerId: string): Promise<void> {
  // Not through the pool: requests that use all its connections must not make this process look dead.
  await env.changes.query(
    `insert into voice_workers (id, seen_at) values ($1, $2)
     on conflict (id) do update set beat = voice_workers.beat + 1, seen_at = excluded.seen_at`,
    [workerId, env.clock.now()],
  );
}

/** Ends the calls of one process. They count as active until the process was last seen. */
export function endCallsOf(env: Environment, workerId: string, seenAt: Date | null): Promise<number> {
  const lastSeen = (call: Call) => latest(seenAt ?? env.clock.now(), call.timeConnect ?? call.timeStart);
  return endCallsWhere(env, { workerId }, lost, lastSeen);
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);

/** Maximum duration of a call: a call whose two legs have vanished must not hold its channel for ever. */
const longestCallMs = 24 * 3_600_000;

const tooLong = { code: 487, reason: 'Request Terminated', initiator: 'switch' } as const;

export function endOverlongCalls(env: Environment): Promise<number> {
  const startedBefore = new Date(env.clock.now().getTime() - longestCallMs);
  return endCallsWhere(env, { startedBefore }, tooLong, (call) => new Date(call.timeStart.getTime() + longestCallMs));
}

interface Watched {
  beat: number;
  since: number;
}

export class Reaper {
  readonly #env: Environment;
  readonly #goneAfterMs: number;
  readonly #watched = new Map<string, Watched>();
  #lastCheck = 0;

  constructor(env: Environment, goneAfter: number = goneAfterMs) {
    this.#env = env;
    this.#goneAfterMs = goneAfter;
  }

  /** Checks every lease; returns the number of calls it ended. */
  async check(nowMs: number = performance.now()): Promise<number> {
    const workers = await this.#env.db.selectFrom('voice_workers').selectAll().execute();
    // A process that could not check for a while (the database was away) cannot know whether the other counters stood
    // still.
    if (nowMs - this.#lastCheck > this.#goneAfterMs / 2) this.#watched.clear();
    this.#lastCheck = nowMs;
    let ended = await this.#endOrphans();
    for (const id of [...this.#watched.keys()]) {
      if (!workers.some((worker) => worker.id === id)) this.#watched.delete(id);
    }
    for (const worker of workers) {
      const watched = this.#watched.get(worker.id);
      if (watched === undefined || watched.beat !== worker.beat) {
        this.#watched.set(worker.id, { beat: worker.beat, since: nowMs });
      } else if (nowMs - watched.since >= this.#goneAfterMs) {
        ended += await this.#endCallsOfGone(worker.id, worker.beat, worker.seen_at);
      }
    }
    return ended;
  }

  /** If several processes noticed, only one deletes the lease; a process that came back in time keeps its lease. */
  async #endCallsOfGone(id: string, beat: number, seenAt: Date): Promise<number> {
    const { numDeletedRows } = await this.#env.db
      .deleteFrom('voice_workers')
      .where('id', '=', id)
      .where('beat', '=', beat)
      .executeTakeFirst();
    this.#watched.delete(id);
    return numDeletedRows > 0n ? endCallsOf(this.#env, id, seenAt) : 0;
  }

  /** Ends calls whose lease was deleted by a process that died before it ended them. */
  async #endOrphans(): Promise<number> {
    const orphans = await this.#env.db
      .selectFrom('open_calls')
      .select('worker_id')
      .distinct()
      .where('worker_id', 'not in', (eb) => eb.selectFrom('voice_workers').select('id'))
      .execute();
    let ended = 0;
    for (const { worker_id } of orphans) ended += await endCallsOf(this.#env, worker_id, null);
    return ended;
  }
}
