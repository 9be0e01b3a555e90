/** The sandbox clock: machine time plus an offset stored in the database, the same in every process. */
import type pg from 'pg';
import { type Clock, type ClockState, type MovableClock, machineClock } from '../clock.ts';
import type { Changes } from '../db/changes.ts';
import { locks } from '../db/locks.ts';
import type { EnvironmentName } from '../environment.ts';

const lookAfterMs = 2_000;

/** Production uses machine time, the sandbox a clock that can be moved forward. */
export async function openClock(name: EnvironmentName, pool: pg.Pool, changes: Changes): Promise<Clock> {
  return name === 'production' ? machineClock : SandboxClock.open(pool, changes);
}

export class SandboxClock implements MovableClock {
  readonly runs = true;
  readonly #pool: pg.Pool;
  readonly #machine: Clock;
  #state: ClockState = { version: -1, offsetMs: 0, standsAtMs: null };
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
    return clock;
  }

  now(): Date {
    return new Date(this.#state.standsAtMs ?? this.#machine.now().getTime() + this.#state.offsetMs);
  }

  microseconds(): number {
    const { standsAtMs, offsetMs } = this.#state;
    if (standsAtMs !== null) return standsAtMs * 1000;
    return (this.#machine.microseconds?.() ?? this.#machine.now().getTime() * 1000) + offsetMs * 1000;
  }

  get offsetSeconds(): number {
    return Math.floor(this.#state.offsetMs / 1000);
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
      `update environment_state
       set clock_version = clock_version + 1, clock_stands_at = null,
           clock_offset_ms = greatest(clock_offset_ms, ceil(extract(epoch from clock_stands_at - $1) * 1000)::bigint)
       where clock_stands_at is not null and pg_try_advisory_xact_lock($2)
       returning ${clockColumns}`,
      [this.#machine.now(), locks.advance],
    );
    if (rows[0] !== undefined) this.adopt(rows[0]);
    else await this.refresh();
  }
}

/** The columns of environment_state as a ClockState. */
export const clockColumns = `clock_version as "version", clock_offset_ms as "offsetMs",
  floor(extract(epoch from clock_stands_at) * 1000)::bigint as "standsAtMs"`;
