/**
 * Standbys that reads may go to which may be some seconds old. How old is proven: the primary's position in its log is
 * noted every second, and a standby that has reached a position has all that was committed before it was noted. One
 * that lags, is silent, is of another cluster or has not followed the last promotion is not used.
 */
import type pg from 'pg';
import type { Logger } from 'pino';
import { createPool, type PoolOptions } from './pool.ts';

const beatMs = 1_000;
/** How long one query may take. */
const patienceMs = 1_500;
/** How long a standby that has failed is left alone. */
const restMs = 10_000;
/** How many notes of the primary's position are kept; this limits the lag that can be measured. */
const mostNotes = 600;

export interface Replica {
  readonly pool: pg.Pool;
  /** At most so old, now. */
  ageSeconds(): number;
  /** It has failed: it is not chosen again for a while. */
  failed(error: unknown): void;
}

/** Runs on any server of the cluster. */
type Ask = (statement: string) => Promise<Position[]>;

interface Position {
  standby: boolean;
  /** Bytes from the beginning of the log. */
  position: string;
  system: string;
  timeline: number;
}

const question = `
  select pg_is_in_recovery() as standby, system_identifier::text as system,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::text as position,
    case when pg_is_in_recovery() then (select min_recovery_end_timeline from pg_control_recovery())
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline
  from pg_control_system()`;

interface ReplicaOptions extends PoolOptions {
  mostLagSeconds: number;
  log: Pick<Logger, 'warn' | 'info'>;
}

interface Watched {
  readonly name: string;
  readonly pool: pg.Pool;
  /** It has everything that was committed before this moment, by the monotonic clock. */
  provenAt: number;
  restsUntil: number;
  isBusy: boolean;
}

export class Replicas {
  readonly #askPrimary: Ask;
  readonly #options: ReplicaOptions;
  readonly #watched: readonly Watched[];
  readonly #timer: NodeJS.Timeout;
  #notes: { at: number; position: bigint }[] = [];
  #primary: Pick<Position, 'system' | 'timeline'> | null = null;
  #next = 0;

  constructor(urls: readonly string[], askPrimary: Ask, options: ReplicaOptions) {
    this.#askPrimary = askPrimary;
    this.#options = options;
    this.#watched = urls.map((url) => {
      const { hostname, port } = new URL(url);
      const pool = createPool(url, options);
      return { name: `${hostname}:${port || '5432'}`, pool, provenAt: -Infinity, restsUntil: 0, isBusy: false };
    });
    this.#timer = setInterval(() => void this.look(), beatMs).unref();
  }

  /** One that is fresh enough, in turns; null if there is none: then the primary is asked. */
  fresh(): Replica | null {
    for (let tried = 0; tried < this.#watched.length; tried++) {
      const one = this.#watched[this.#next++ % this.#watched.length];
      if (one === undefined || performance.now() < one.restsUntil) continue;
      if (ageOf(one) <= this.#options.mostLagSeconds) return this.#use(one);
    }
    return null;
  }

  /** Lag in seconds by server; infinite where it is not known. */
  lags(): Record<string, number> {
    return Object.fromEntries(this.#watched.map((one) => [one.name, ageOf(one)]));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#watched.map(({ pool }) => pool.end()));
  }

  /** Notes the position of the primary, then what the standbys have of it. */
  async look(): Promise<void> {
    const at = performance.now();
    await within(this.#askPrimary(question)).then(
      ([now]) => now && this.#note(now, at),
      // Without a primary they grow older until they are too old.
      () => undefined,
    );
    await Promise.all(this.#watched.map((one) => this.#lookAt(one)));
  }

  #note({ system, timeline, position, standby }: Position, at: number): void {
    if (standby) return;
    // After a promotion positions of the former primary prove nothing.
    if (this.#primary?.system !== system || this.#primary.timeline !== timeline) this.#notes = [];
    this.#primary = { system, timeline };
    this.#notes.push({ at, position: BigInt(position) });
    if (this.#notes.length > mostNotes) this.#notes.shift();
  }

  async #lookAt(one: Watched): Promise<void> {
    if (one.isBusy || performance.now() < one.restsUntil) return;
    one.isBusy = true;
    try {
      const [now] = await within(one.pool.query<Position>(question).then(({ rows }) => rows));
      if (now === undefined || !this.#isCopy(now)) {
        one.provenAt = -Infinity;
        return;
      }
      const reached = BigInt(now.position);
      const note = this.#notes.findLast(({ position }) => position <= reached);
      one.provenAt = note?.at ?? -Infinity;
    } catch (error) {
      this.#leave(one, error);
    } finally {
      one.isBusy = false;
    }
  }

  #isCopy({ standby, system, timeline }: Position): boolean {
    return standby && system === this.#primary?.system && timeline === this.#primary.timeline;
  }

  #use(one: Watched): Replica {
    return {
      pool: one.pool,
      ageSeconds: () => Math.max(1, Math.ceil(ageOf(one))),
      failed: (error) => this.#leave(one, error),
    };
  }

  #leave(one: Watched, error: unknown): void {
    one.provenAt = -Infinity;
    one.restsUntil = performance.now() + restMs;
    this.#options.log.warn({ err: error, replica: one.name }, 'a replica does not answer; the primary is asked');
  }
}

const ageOf = ({ provenAt }: Watched): number => (performance.now() - provenAt) / 1000;

async function within<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it does not answer')), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
