/**
 * The lease of a process on the calls it carries: a counter that the process increments while it lives. Another process
 * that sees the counter unchanged for long enough, by its own monotonic clock, ends those calls.
 */
import type { Environment } from '../../engines/environment.ts';
import type { Call } from './call.ts';
import { type EndedElsewhere, endCallsWhere, endEach } from './end-elsewhere.ts';
import type { CallEnd } from './ports.ts';
import { longestCallSeconds } from './tariff.ts';

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

/**
 * Ends the calls of one process. They count as active until the process was last seen, and if nobody knows when that
 * was, until they were answered: no call is charged past its last sign of life. `ending` are ends that it could not
 * write.
 */
export function endCallsOf(
  env: Environment,
  workerId: string,
  seenAt: Date | null,
  ending: (call: Call) => CallEnd | null = () => null,
): Promise<EndedElsewhere[]> {
  return endEach(env, { workerId }, (call) => {
    const answeredAt = call.timeConnect ?? call.timeStart;
    return ending(call) ?? { disconnect: lost, at: latest(seenAt ?? answeredAt, answeredAt) };
  });
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);

const longestCallMs = longestCallSeconds * 1000;

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
  readonly #reaped: (ended: readonly EndedElsewhere[]) => void;
  readonly #watched = new Map<string, Watched>();
  #lastCheck = 0;

  /** `reaped` hears of the calls it ended, whose legs may still be up. */
  constructor(
    env: Environment,
    goneAfter: number = goneAfterMs,
    reaped: (ended: readonly EndedElsewhere[]) => void = () => undefined,
  ) {
    this.#env = env;
    this.#goneAfterMs = goneAfter;
    this.#reaped = reaped;
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

  /**
   * The lease goes last: it says when the process was last seen, for whoever has to finish this. If several processes
   * noticed, each call is ended by one of them; a process that came back in time keeps its lease.
   */
  async #endCallsOfGone(id: string, beat: number, seenAt: Date): Promise<number> {
    const lease = this.#env.db.selectFrom('voice_workers').select('id').where('id', '=', id).where('beat', '=', beat);
    this.#watched.delete(id);
    if ((await lease.executeTakeFirst()) === undefined) return 0;
    const ended = await this.#end(id, seenAt);
    const isLeft = this.#env.db.selectFrom('open_calls').select('id').where('worker_id', '=', id);
    await this.#env.db
      .deleteFrom('voice_workers')
      .where('id', '=', id)
      .where('beat', '=', beat)
      .where((eb) => eb.not(eb.exists(isLeft)))
      .execute();
    return ended;
  }

  async #end(workerId: string, seenAt: Date | null): Promise<number> {
    const ended = await endCallsOf(this.#env, workerId, seenAt);
    if (ended.length > 0) this.#reaped(ended);
    return ended.length;
  }

  /** Ends calls without a lease: they were opened while their process stopped. */
  async #endOrphans(): Promise<number> {
    const orphans = await this.#env.db
      .selectFrom('open_calls')
      .select('worker_id')
      .distinct()
      .where('worker_id', 'not in', (eb) => eb.selectFrom('voice_workers').select('id'))
      .execute();
    let ended = 0;
    for (const { worker_id } of orphans) ended += await this.#end(worker_id, null);
    return ended;
  }
}
