/**
 * The sandbox clock: machine time plus an offset stored in the database, the same in every process. With a factor the
 * offset grows by itself, so that time also passes faster while no process runs.
 */
import type pg from 'pg';
import { type Clock, type ClockState, type MovableClock, machineClock, Turns } from '../../base/clock.ts';
import type { Changes } from '../../engines/db/changes.ts';
import { locks } from '../../engines/db/locks.ts';
import type { EnvironmentName } from '../../engines/environment.ts';

const lookAfterMs = 2_000;

/** Production uses machine time, the sandbox a clock that can be moved forward. */
export async function openClock(name: EnvironmentName, pool: pg.Pool, changes: Changes): Promise<Clock> {
  return name === 'production' ? machineClock : SandboxClock.open(pool, changes);
}

export class SandboxClock implements MovableClock {
  readonly runs = true;
  readonly turns = new Turns();
  readonly #pool: pg.Pool;
  readonly #machine: Clock;
  #state: ClockState = { version: -1, offsetMs: 0, standsAtMs: null, factor: null, factorSinceMs: null };
  #check: NodeJS.Timeout | null = null;

  private constructor(pool: pg.Pool, machine: Clock) {
    this.#pool = pool;
    this.#machine = machine;
  }

  static async open(pool: pg.Pool, changes: Changes, machine: Clock = machineClock): Promise<SandboxClock> {
    const clock = new SandboxClock(pool, machine);
    changes.on('clock', (about) => clock.adopt(JSON.parse(about)));
    await changes.onConnected(() => clock.refresh());
    await clock.#restartIfAbandoned();
    await clock.#beginFactor();
    return clock;
  }

  now(): Date {
    const machineMs = this.#machine.now().getTime();
    return new Date(this.#state.standsAtMs ?? machineMs + offsetAt(this.#state, machineMs));
  }

  microseconds(): number {
    const { standsAtMs } = this.#state;
    if (standsAtMs !== null) return standsAtMs * 1000;
    const machine = this.#machine.microseconds?.() ?? this.#machine.now().getTime() * 1000;
    return Math.floor(machine + offsetAt(this.#state, machine / 1000) * 1000);
  }

  get offsetSeconds(): number {
    return Math.floor(offsetAt(this.#state, this.#machine.now().getTime()) / 1000);
  }

  machineTime(): Date {
    return this.#machine.now();
  }

  get factor(): number {
    return this.#state.factor ?? 1;
  }

  /** From now on this many seconds pass in one of the machine's. The time itself does not jump. */
  async setFactor(factor: number): Promise<void> {
    const { rows } = await this.#pool.query<ClockState>(
      `update environment_state s
       set clock_version = clock_version + 1, clock_offset_ms = clock_offset_ms + ceil(clock_gained_ms(s, $1))::bigint,
           clock_factor = nullif($2::int, 1),
           clock_factor_since = case when $2::int > 1 then $1::timestamptz end
       returning ${clockColumns}`,
      [this.#machine.now(), factor],
    );
    if (rows[0] !== undefined) this.adopt(rows[0]);
  }

  adopt(state: ClockState): void {
    if (state.version < this.#state.version) return;
    this.#state = state;
    if (this.#check !== null) clearTimeout(this.#check);
    this.#check = null;
    if (state.standsAtMs === null) return;
    this.#check = setTimeout(() => this.#restartIfAbandoned().catch(() => undefined), lookAfterMs).unref();
  }

  async refresh(): Promise<void> {
    const { rows } = await this.#pool.query<ClockState>(`select ${clockColumns} from environment_state`);
    if (rows[0] !== undefined) this.adopt(rows[0]);
  }

  /** If a process was killed during an advance, the stopped clock continues from where it stands. */
  async #restartIfAbandoned(): Promise<void> {
    if (this.#state.standsAtMs === null) return;
    const { rows } = await this.#pool.query<ClockState>(
      `update environment_state s
       set clock_version = clock_version + 1, clock_stands_at = null,
           clock_offset_ms = clock_settled_ms(s, $1),
           clock_factor_since = case when clock_factor is not null then $1::timestamptz end
       where clock_stands_at is not null and pg_try_advisory_xact_lock($2)
       returning ${clockColumns}`,
      [this.#machine.now(), locks.advance],
    );
    if (rows[0] !== undefined) this.adopt(rows[0]);
    else await this.refresh();
  }

  /** The factor of a snapshot counts from the moment in which the copy of it is opened. */
  async #beginFactor(): Promise<void> {
    if (this.#state.factor === null || this.#state.factorSinceMs !== null) return;
    await this.#pool.query(
      `update environment_state set clock_version = clock_version + 1, clock_factor_since = $1
       where clock_factor is not null and clock_factor_since is null`,
      [this.#machine.now()],
    );
    await this.refresh();
  }
}

/** How far a clock may be ahead of real time: years with more than four digits break documents. */
export const furthestYears = 100;
export const furthestSeconds = furthestYears * 365.25 * 86_400;

/**
 * How far the clock is ahead at a time of the machine; the function `clock_gained_ms` of the database says the same.
 */
function offsetAt({ offsetMs, factor, factorSinceMs }: ClockState, machineMs: number): number {
  if (factor === null || factorSinceMs === null) return offsetMs;
  const gained = Math.max(machineMs - factorSinceMs, 0) * (factor - 1);
  return offsetMs + Math.min(gained, Math.max(furthestSeconds * 1000 - offsetMs, 0));
}

/** The columns of environment_state as a ClockState. */
export const clockColumns = `clock_version as "version", clock_offset_ms as "offsetMs",
  floor(extract(epoch from clock_stands_at) * 1000)::bigint as "standsAtMs", clock_factor as "factor",
  floor(extract(epoch from clock_factor_since) * 1000)::bigint as "factorSinceMs"`;
