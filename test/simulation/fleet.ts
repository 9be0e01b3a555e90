/** The server processes of a simulation: started, stopped, killed at any moment, and started again. */
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { DatabaseSeam } from './database-seam.ts';
import type { Events } from './events.ts';
import { type Machine, SimulatedProcess } from './simulated-process.ts';

export class Fleet {
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #seam: DatabaseSeam;
  readonly #machine: Machine;
  readonly #places: SimulatedProcess[] = [];
  #made = 0;
  killed = 0;
  stopped = 0;

  constructor(events: Events, random: SeededRandom, seam: DatabaseSeam, machine: Machine) {
    this.#events = events;
    this.#random = random;
    this.#seam = seam;
    this.#machine = machine;
  }

  start(count: number): void {
    for (let place = 0; place < count; place++) this.#start(place);
  }

  get ready(): SimulatedProcess[] {
    return this.#places.filter(({ isReady }) => isReady);
  }

  get isWhole(): boolean {
    return this.ready.length === this.#places.length;
  }

  /** As `kill -9`: what was in memory is gone, and what was on its way to the database may or may not arrive. */
  async kill(process: SimulatedProcess): Promise<void> {
    if (process.isDead) return;
    this.#events.note(`${process.name} is killed`);
    this.killed += 1;
    process.isDead = true;
    process.diedAt = this.#events.now;
    await this.#seam.kill(process);
    this.#startAgain(process);
  }

  /** As on SIGTERM. */
  stop(process: SimulatedProcess): void {
    if (!process.isReady) return;
    this.#events.note(`${process.name} is told to stop`);
    this.stopped += 1;
    const isOver = () => this.#events.plan(0, 'has stopped', null, () => this.kill(process));
    process.stop().then(isOver, isOver);
  }

  #start(place: number): void {
    const process = new SimulatedProcess(`process ${place}.${++this.#made}`, this.#machine);
    this.#places[place] = process;
    process
      .run(() => process.start())
      .catch((error: Error) => {
        this.#events.plan(0, `cannot start: ${error.message}`, process, () => this.kill(process));
      });
  }

  #startAgain(process: SimulatedProcess): void {
    const place = this.#places.indexOf(process);
    const wait = this.#random.chance(0.2) ? this.#random.below(15_000) : this.#random.below(1_500);
    this.#events.plan(wait, `starts process ${place} again`, null, () => this.#start(place));
  }
}
