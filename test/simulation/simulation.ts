/**
 * A simulation of the whole: server processes over a real PostgreSQL, customers, callers, receivers and a faulty
 * network, in virtual time. Everything that happens is an event.
 */
import { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import { Callers } from './callers.ts';
import { Shopper } from './customers.ts';
import { DatabaseSeam } from './database-seam.ts';
import { Events } from './events.ts';
import { Fleet } from './fleet.ts';
import { Fault, Invariants } from './invariants.ts';
import { Network } from './network.ts';
import { Observer } from './observer.ts';
import { Promises } from './promises.ts';
import { Receivers } from './receivers.ts';
import { isOutage } from './simulated-environment.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { replaceRandomness, replaceTimers, running } from './virtual-timers.ts';
import { type Customer, layOutWorld, type Place, stocked } from './world.ts';

interface SimulationOptions extends Place {
  readonly seed: number;
  /** How long, in virtual time. Beyond a day it is spent in busy minutes with days between them. */
  readonly minutes: number;
  /** Hears of every event. */
  readonly watch: (line: string) => void;
}

export interface Outcome {
  readonly seed: number;
  readonly events: number;
  /** Everything that happened, as one word: tells whether two runs of a seed were the same. */
  readonly digest: string;
  readonly virtualSeconds: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly fault: { readonly promise: string; readonly details: string; readonly lastEvents: readonly string[] } | null;
}

const begins = new Date('2026-03-30T09:00:00Z');
const dayMs = 86_400_000;
const processes = 2;
/** How long everything goes wrong, and how long nothing does until all must have come to rest. */
const busyMs = 60_000;
const restMs = 40_000;
const longestRecoveryMs = 120_000;
const checkEvery = 2_000;

const faults = {
  database: { lost: 0.003, slow: 0.003, killed: 0.002 },
  network: { dropped: 0.02, unanswered: 0.02, doubled: 0.02, slow: 0.02 },
  receivers: { refused: 0.1 },
} as const;
const noFaults = {
  database: { lost: 0, slow: 0, killed: 0 },
  network: { dropped: 0, unanswered: 0, doubled: 0, slow: 0 },
  receivers: { refused: 0 },
} as const;

class Simulation {
  readonly #options: SimulationOptions;
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #observer: Observer;
  readonly #seam: DatabaseSeam;
  readonly #network: Network;
  readonly #receivers: Receivers;
  readonly #fleet: Fleet;
  readonly #shoppers: readonly Shopper[];
  readonly #callers: Callers;
  readonly #invariants: Invariants;
  readonly #promises: Promises;
  readonly #problems: Fault[] = [];

  constructor(options: SimulationOptions, databaseUrl: string, customers: readonly Customer[], observer: Observer) {
    const events = new Events(begins.getTime());
    const random = new SeededRandom(options.seed);
    const ofItsOwn = () => new SeededRandom(random.below(2 ** 31));
    replaceTimers(events);
    replaceRandomness(ofItsOwn());
    const seam = new DatabaseSeam(events, ofItsOwn(), observer);
    const network = new Network(events, ofItsOwn());
    const clock = { now: () => new Date(events.now), microseconds: () => events.now * 1000 + 437 };
    const names = customers.map(({ name }) => name);
    this.#receivers = new Receivers(ofItsOwn(), network, names);
    this.#fleet = new Fleet(events, ofItsOwn(), seam, {
      clock,
      databaseUrlOf: (process) => seam.urlFor(process, databaseUrl),
      outboundOf: (process) => network.outboundOf(process),
      logged: (process, line) => {
        if (process.isDead || isOutage(line)) return;
        this.#problems.push(new Fault('no process logs an error', { by: process.name, ...line }));
      },
    });
    const { fleet } = { fleet: this.#fleet };
    seam.onKilled = async (owner) => (owner instanceof SimulatedProcess ? fleet.kill(owner) : undefined);
    this.#shoppers = customers.map((customer) => new Shopper(customer, events, ofItsOwn(), network, fleet));
    this.#callers = new Callers(events, ofItsOwn(), fleet, observer);
    this.#invariants = new Invariants(observer, stocked);
    this.#promises = new Promises(observer, this.#receivers, this.#shoppers, this.#callers);
    this.#random = ofItsOwn();
    this.#options = options;
    this.#events = events;
    this.#observer = observer;
    this.#seam = seam;
    this.#network = network;
    process.on('unhandledRejection', (reason) => {
      const text = String(reason instanceof Error ? reason.stack : reason);
      this.#problems.push(reason instanceof Fault ? reason : new Fault('no promise is rejected unseen', text));
    });
  }

  async run(): Promise<Fault | null> {
    const end = begins.getTime() + this.#options.minutes * 60_000;
    const isLong = this.#options.minutes > 24 * 60;
    try {
      this.#fleet.start(processes);
      await this.#pass(busyMs, () => this.#fleet.isWhole);
      for (const one of this.#people) one.live().catch((error) => this.#problems.push(asFault(error)));
      while (this.#events.now < end) {
        await this.#round();
        if (isLong) await this.#travel(Math.min(end, this.#events.now + this.#random.below(40 * dayMs)));
      }
      return null;
    } catch (error) {
      return asFault(error);
    }
  }

  outcome(fault: Fault | null): Outcome {
    const { now, happened, digest, lastEvents } = this.#events;
    const counts: Record<string, number> = {
      ...{ killed: this.#fleet.killed, stopped: this.#fleet.stopped, received: this.#receivers.received },
      ...{ calls: this.#callers.placed, answered: this.#callers.answered.size },
    };
    for (const [name, count] of this.#shoppers.flatMap((shopper) => Object.entries(shopper.counts))) {
      counts[name] = (counts[name] ?? 0) + count;
    }
    const virtualSeconds = Math.round((now - begins.getTime()) / 1000);
    const told = fault && { promise: fault.promise, details: fault.message, lastEvents };
    return { seed: this.#options.seed, events: happened, digest, virtualSeconds, counts, fault: told };
  }

  get #people(): readonly (Shopper | Callers)[] {
    return [...this.#shoppers, this.#callers];
  }

  /** Everybody is busy while everything goes wrong; then nothing does, and what was promised must be so. */
  async #round(): Promise<void> {
    this.#set(faults);
    for (const one of this.#people) one.isPaused = false;
    const half = this.#random.below(busyMs);
    await this.#pass(half);
    await this.#upset();
    await this.#pass(busyMs - half);
    this.#set(noFaults);
    for (const one of this.#people) one.isPaused = true;
    const isQuiet = () => this.#fleet.isWhole && this.#shoppers.every(({ isIdle }) => isIdle);
    if (!(await this.#pass(longestRecoveryMs, isQuiet)))
      throw new Fault('everything comes back by itself', 'it did not');
    await this.#pass(restMs);
    await this.#invariants.checkAtRest();
    await this.#promises.check();
  }

  /** What happens to a machine now and then: one is told to stop, the database is restarted or away. */
  async #upset(): Promise<void> {
    const [first] = this.#fleet.ready;
    const drawn = this.#random.below(4);
    if (drawn === 0 && first !== undefined) this.#fleet.stop(first);
    if (drawn === 1) await this.#seam.breakAll();
    if (drawn === 2) await this.#seam.leave(this.#random.below(8_000));
  }

  #set(wanted: typeof faults | typeof noFaults): void {
    this.#seam.faults = wanted.database;
    this.#network.faults = wanted.network;
    this.#receivers.faults = wanted.receivers;
  }

  /** Days pass, from one moment at which something falls due to the next. */
  async #travel(target: number): Promise<void> {
    while (this.#events.now < target) {
      const [row] = await this.#observer.rows<{ next: Date | null }>(
        'select min(run_at) as next from jobs where attempts < max_attempts and run_at > $1',
        [new Date(this.#events.now)],
      );
      this.#events.leap(Math.min(target, row?.next?.getTime() ?? target));
      await this.#pass(8_000);
    }
    await this.#pass(restMs);
    await this.#invariants.checkAtRest();
    await this.#promises.check();
  }

  /** Lets time pass; returns whether what is waited for has come. */
  async #pass(ms: number, isOver: () => boolean = () => false): Promise<boolean> {
    const end = this.#events.now + ms;
    while (this.#events.now < end && !isOver()) await this.#step();
    return isOver();
  }

  async #step(): Promise<void> {
    await this.#seam.settle();
    const event = this.#events.next();
    if (event === null) throw new Error('nothing is planned any more');
    this.#options.watch(this.#events.lastEvents.at(-1) ?? '');
    await (event.owner === null ? event.run() : running.run(event.owner, event.run));
    if (this.#events.happened % checkEvery === 0) await this.#invariants.checkAlways();
    const [problem] = this.#problems;
    if (problem !== undefined) throw problem;
  }
}

const asFault = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('the simulation goes on', error instanceof Error ? error.stack : `${error}`);

/** Timers and randomness of this Node process stay replaced: it does nothing else. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const world = await layOutWorld(options, begins);
  const observer = await Observer.open(world.databaseUrl);
  const simulation = new Simulation(options, world.databaseUrl, world.customers, observer);
  const fault = await simulation.run();
  await observer.close();
  await world.drop();
  return simulation.outcome(fault);
}
