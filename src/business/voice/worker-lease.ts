/**
 * The lease of a process on the calls it carries: a counter that the process increments while it lives. Another process
 * that sees the counter unchanged for long enough, by its own monotonic clock, ends those calls.
 */
import type { Environment } from '../../engines/environment.ts';
import type { Call } from './call.ts';
import { type EndedElsewhere, endCallsWhere, endEach, type Which } from './end-elsewhere.ts';
import type { CallEnd } from './ports.ts';
import { longestCallSeconds } from './tariff.ts';

export const heartbeatMs = 1_000;
/** Eight missed heartbeats: a pause of the event loop must not end calls. */
const goneAfterMs = 8_000;
/**
 * A process without SIP leaves answered calls to those that can hang up their legs, for as long as a service takes to
 * start again.
 */
const legsGoneAfterMs = 30_000;
/** More than one heartbeat: such a process may be gone. */
const silentAfterMs = 1_500;

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
  which: Which = { workerId },
): Promise<EndedElsewhere[]> {
  return endEach(env, which, (call) => ending(call) ?? { disconnect: lost, at: lastSignOfLife(call, seenAt) });
}

/** When a call must be taken to have ended whose process is gone. */
export function lastSignOfLife(call: Call, seenAt: Date | null): Date {
  const answeredAt = call.timeConnect ?? call.timeStart;
  return latest(seenAt ?? answeredAt, answeredAt);
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

interface Lease {
  id: string;
  beat: number;
  seen_at: Date;
}

interface ReaperOptions {
  goneAfterMs?: number;
  /** Whether this process can say BYE. */
  canHangUp?: () => boolean;
  /** Hears of the calls it ended, whose legs may still be up. */
  reaped?: (ended: readonly EndedElsewhere[]) => void;
}

export class Reaper {
  readonly #env: Environment;
  readonly #options: Required<ReaperOptions>;
  readonly #watched = new Map<string, Watched>();
  #lastCheck = 0;

  constructor(env: Environment, options: ReaperOptions = {}) {
    this.#env = env;
    this.#options = { goneAfterMs, canHangUp: () => true, reaped: () => undefined, ...options };
  }

  /** Processes that have not been seen to live for a moment: those that are gone are among them. */
  silent(nowMs: number = performance.now()): string[] {
    return [...this.#watched].flatMap(([id, { since }]) => (nowMs - since >= silentAfterMs ? [id] : []));
  }

  /** Checks every lease; returns the number of calls it ended. */
  async check(nowMs: number = performance.now()): Promise<number> {
    const workers = await this.#env.db.selectFrom('voice_workers').selectAll().execute();
    // A process that could not check for a while (the database was away) cannot know whether the other counters stood
    // still.
    if (nowMs - this.#lastCheck > this.#options.goneAfterMs / 2) this.#watched.clear();
    this.#lastCheck = nowMs;
    let ended = await this.#endOrphans();
    for (const id of [...this.#watched.keys()]) {
      if (!workers.some((worker) => worker.id === id)) this.#watched.delete(id);
    }
    for (const worker of workers) {
      const watched = this.#watched.get(worker.id);
      if (watched === undefined || watched.beat !== worker.beat) {
        this.#watched.set(worker.id, { beat: worker.beat, since: nowMs });
      } else if (nowMs - watched.since >= this.#options.goneAfterMs) {
        ended += await this.#endCallsOfGone(worker, nowMs - watched.since);
      }
    }
    return ended;
  }

  /**
   * The lease goes last: it says when the process was last seen, for whoever has to finish this. If several processes
   * noticed, each call is ended by one of them; a process that came back in time keeps its lease.
   */
  async #endCallsOfGone({ id, beat, seen_at: seenAt }: Lease, silentMs: number): Promise<number> {
    const lease = this.#env.db.selectFrom('voice_workers').select('id').where('id', '=', id).where('beat', '=', beat);
    if ((await lease.executeTakeFirst()) === undefined) return 0;
    const leavesLegs = !this.#options.canHangUp() && silentMs < legsGoneAfterMs;
    // What cannot be ended now is tried again when it has been silent for as long once more.
    if (!leavesLegs) this.#watched.delete(id);
    const ended = await this.#end(id, seenAt, leavesLegs);
    const isLeft = this.#env.db.selectFrom('open_calls').select('id').where('worker_id', '=', id);
    await this.#env.db
      .deleteFrom('voice_workers')
      .where('id', '=', id)
      .where('beat', '=', beat)
      .where((eb) => eb.not(eb.exists(isLeft)))
      .execute();
    return ended;
  }

  async #end(workerId: string, seenAt: Date | null, leavesLegs = false): Promise<number> {
    const which: Which = leavesLegs ? { workerId, withoutLegs: true } : { workerId };
    const ended = await endCallsOf(this.#env, workerId, seenAt, undefined, which);
    if (ended.length > 0) this.#options.reaped(ended);
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
