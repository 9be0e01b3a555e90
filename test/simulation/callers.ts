/**
 * People who call the customers' numbers, at the place where SIP meets the call engine: legs ring, answer, decline
 * and hang up, each at its own time, and the process that carries a call may die at any moment. What a leg was told
 * is held against the database.
 */
import { hangUp } from '../../src/business/voice/disconnect-codes.ts';
import { endCallById } from '../../src/business/voice/end-elsewhere.ts';
import { arrive } from '../../src/business/voice/inbound/arrive.ts';
import { momentOf } from '../../src/business/voice/moment.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import type { Observer } from './observer.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export class Callers {
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #fleet: Fleet;
  readonly #observer: Observer;
  /** Calls that both sides hold, by id, with who carries them. */
  readonly up = new Map<string, SimulatedProcess>();
  /** Calls that were accepted. */
  readonly opened = new Set<string>();
  /** Calls of which their process has heard that they are answered. */
  readonly answered = new Set<string>();
  /** Calls that somebody has ended from another process, at that one's time. */
  readonly endedElsewhere = new Set<string>();
  isPaused = false;
  paceMs = 2_000;
  placed = 0;

  constructor(events: Events, random: SeededRandom, fleet: Fleet, observer: Observer) {
    this.#events = events;
    this.#random = random;
    this.#fleet = fleet;
    this.#observer = observer;
  }

  /** For ever. */
  async live(): Promise<never> {
    for (;;) {
      await this.#pause(this.#random.below(2 * this.paceMs), null);
      const { ready } = this.#fleet;
      if (this.isPaused || ready.length === 0) continue;
      const carrier = this.#random.pick(ready);
      const numbers = await this.#observer.rows<{ number: string }>(
        'select number from dids where voice_in_trunk_id is not null order by number',
      );
      if (numbers.length === 0) continue;
      this.placed += 1;
      void carrier.run(() => this.#call(carrier, this.#random.pick(numbers).number));
    }
  }

  /** A leg that waits is gone with its process. */
  #pause(ms: number, process: SimulatedProcess | null): Promise<void> {
    return new Promise((resolve) => {
      this.#events.plan(ms, 'a caller waits no longer', process, resolve);
    });
  }

  async #call(carrier: SimulatedProcess, didNumber: string): Promise<void> {
    const { started } = carrier;
    if (started === null) return;
    const { voice, env } = started;
    // Without the database a call is refused: 503.
    const arrived = await arrive(voice, { didNumber, srcNumber: '15550100' }).catch(() => null);
    if (arrived === null || arrived.refusal !== null) return;
    const { live } = arrived;
    const { id } = live.call;
    const now = () => momentOf(env.clock);
    let isHungUp = false;
    this.opened.add(id);
    this.up.set(id, carrier);
    live.carriedBy({
      hangUp: () => {
        isHungUp = true;
        this.up.delete(id);
      },
    });
    const end = async () => {
      this.up.delete(id);
      await live.end(hangUp, now());
    };
    live.ringing();
    await this.#pause(this.#random.below(4_000), carrier);
    if (isHungUp) return;
    if (this.#random.chance(0.2)) {
      this.up.delete(id);
      await live.attemptFailed({ code: this.#random.pick([486, 480, 500]) }, now());
      return;
    }
    if (this.#random.chance(0.1)) return end();
    // Most wrongs are at the moment of the answer.
    if (this.#random.chance(0.3)) void this.#hangUpElsewhere(id, this.#random.chance(0.7) ? 8 : 5_000);
    const isUp = await live.answered(now()).catch(() => false);
    if (!isUp) return end();
    this.answered.add(id);
    const talk = this.#random.below(20_000);
    for (let talked = 0; talked < talk && !isHungUp; talked += 2_000) {
      await this.#pause(Math.min(2_000, talk - talked), carrier);
      const { paidSeconds } = live;
      if (paidSeconds === null || (talked + 4_000) / 1000 < paidSeconds) continue;
      const cut = await live.extend().catch(() => null);
      if (cut !== null) break;
    }
    if (!isHungUp) await end();
  }

  /** As somebody does who looks at the call in the panel. */
  async #hangUpElsewhere(id: string, withinMs: number): Promise<void> {
    await this.#pause(this.#random.below(withinMs), null);
    const { ready } = this.#fleet;
    if (ready.length === 0) return;
    this.endedElsewhere.add(id);
    const process = this.#random.pick(ready);
    const env = process.started?.env;
    if (env === undefined) return;
    await process.run(() => endCallById(env, id, hangUp, () => momentOf(env.clock))).catch(() => undefined);
  }
}
