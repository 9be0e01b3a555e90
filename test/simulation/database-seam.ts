/**
 * Connections of the simulated processes to the real PostgreSQL. A statement is sent when its event comes, alone: the
 * next event waits until it is answered or waits for a lock of another transaction. Its answer is one more event, so
 * that a process may die between what the database has done and what it hears of it. Connections break when the seed
 * says so.
 */
import type pg from 'pg';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Events, Owner } from './events.ts';
import type { Observer } from './observer.ts';
import { type Callback, type Failure, hookConnections } from './pg-hooks.ts';
import { realPause, realTurn } from './virtual-timers.ts';

/** What happens to a statement. */
type Fate = 'answered' | 'cut off before' | 'cut off behind' | 'killed before' | 'killed behind';

interface Seam {
  readonly client: pg.Client;
  readonly owner: Owner;
  readonly pid: number;
  readonly channels: Set<string>;
  state: 'idle' | 'planned' | 'sent' | 'waits' | 'answered' | 'gone';
  /** Counts its statements. */
  turn: number;
  text: string;
  /** What a cancelled statement fails with: as if the database itself had lost its patience or broken a circle. */
  cancelledAs: string | null;
  fate: Fate;
  lastHeardAt: number;
}

interface DatabaseFaults {
  /** Of one statement: its connection breaks before it is sent, or before its answer arrives. */
  readonly lost: number;
  /** Of one statement: it takes seconds. */
  readonly slow: number;
  /** Of one statement that changes something: its process is killed before it is sent, or before it is answered. */
  readonly killed: number;
}

const lockTimeoutMs = 10_000;
/** The database's clock goes in steps: it is at most so far behind those of the processes. */
const clockStepMs = 100;
/** Locks are looked at when a statement has not been answered for so long. */
const patienceMs = 25;
const deadlock = '40P01';
const lockTimeout = '55P03';
/** Turns of the event loop without anything new, after which everything has come to rest. */
const quietTurns = 6;
const inThreads = /^(FSReq|Scrypt|SCRYPT|Zlib|ZLIB|RandomBytes|HashJob|.*Job)/;

export class DatabaseSeam {
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #observer: Observer;
  readonly #seams = new Map<pg.Client, Seam>();
  readonly #owners = new Map<string, Owner>();
  faults: DatabaseFaults = { lost: 0, slow: 0, killed: 0 };
  onKilled: (owner: Owner) => Promise<void> = async () => undefined;
  /** Connections that are being opened or are ending. */
  #changing = 0;
  #toldAt = 0;
  #awayUntil = 0;
  /** Something was sent since that may have notified somebody. */
  #mayHaveNotified = true;
  #wake: () => void = () => undefined;

  constructor(events: Events, random: SeededRandom, observer: Observer) {
    this.#events = events;
    this.#random = random;
    this.#observer = observer;
    hookConnections({
      ownerOf: (client) => this.#ownerOf(client),
      connecting: (client, owner, connect, callback) => this.#connect(client, owner, connect, callback),
      ready: (client, text, send) => this.#plan(this.#seams.get(client), text, send),
      failed: (client, failure) => this.#failed(this.#seams.get(client), failure),
      answered: (client, deliver) => this.#answered(this.#seams.get(client), deliver),
      ending: (client) => this.#ending(this.#seams.get(client)),
      isOurs: (client) => this.#seams.has(client),
    });
  }

  /** Waits until every process waits for an event. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; ) {
      const before = this.#events.planned;
      await realTurn();
      const isBusy = this.#changing > 0 || this.#sent().length > 0;
      if (isBusy) await this.#untilAnswered();
      else if (this.#observer.asked > 0 || process.getActiveResourcesInfo().some((name) => inThreads.test(name)))
        await realPause(0);
      const isNew = this.#events.planned !== before || this.#observer.asked > 0;
      quiet = isBusy || isNew ? 0 : quiet + 1;
    }
  }

  /** The connections of a process end, with their transactions and locks, as when it is killed. */
  async kill(owner: Owner): Promise<void> {
    const own = [...this.#seams.values()].filter((seam) => seam.owner === owner);
    for (const seam of own) {
      this.#forget(seam);
      seam.client.connection.removeAllListeners();
      seam.client.connection.on('error', () => undefined);
    }
    await this.#observer.terminate(own.map(({ pid }) => pid));
    for (const { client } of own) client.connection.stream.destroy();
    await this.#lookAtWaiting();
  }

  /** Every connection breaks, as when the database is restarted. */
  async breakAll(): Promise<void> {
    for (const seam of [...this.#seams.values()]) await this.#break(seam);
  }

  /** The database is away for so long: connections break, and new ones are refused. */
  async leave(ms: number): Promise<void> {
    this.#awayUntil = this.#events.now + ms;
    this.#events.note(`the database is away for ${ms} ms`);
    await this.breakAll();
  }

  /** The database's address for a process: its connections are known by it, whatever asks for them. */
  urlFor(owner: Owner, url: string): string {
    const named = new URL(url);
    named.searchParams.set('fallback_application_name', owner.name);
    this.#owners.set(owner.name, owner);
    return named.href;
  }

  #ownerOf(client: pg.Client): Owner | null {
    const parameters: unknown = Reflect.get(client, 'connectionParameters');
    const name: unknown =
      parameters && typeof parameters === 'object' && Reflect.get(parameters, 'fallback_application_name');
    return typeof name === 'string' ? (this.#owners.get(name) ?? null) : null;
  }

  #sent = (): Seam[] => [...this.#seams.values()].filter(({ state }) => state === 'sent');

  #connect(client: pg.Client, owner: Owner, connect: (callback: Callback) => void, callback: Callback): void {
    this.#events.plan(1 + this.#random.below(5), 'connects', owner, () => {
      if (this.#events.now < this.#awayUntil) {
        callback(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }));
        return;
      }
      this.#changing += 1;
      connect((error) => {
        this.#changed();
        const pid: unknown = Reflect.get(client, 'processID');
        if (!error && typeof pid === 'number') {
          const seam: Seam = {
            ...{ client, owner, pid, channels: new Set<string>(), state: 'idle', turn: 0, text: '' },
            ...{ cancelledAs: null, fate: 'answered', lastHeardAt: 0 },
          };
          this.#seams.set(client, seam);
          client.once('end', () => this.#forget(seam));
        }
        callback(error);
      });
    });
  }

  #plan(seam: Seam | undefined, text: string, send: () => void): void {
    if (seam?.state !== 'idle') return;
    const wait = this.#random.chance(this.faults.slow) ? this.#random.below(12_000) : this.#random.below(4);
    seam.state = 'planned';
    seam.turn += 1;
    seam.text = text;
    seam.fate = this.#drawFate(text);
    const isEarly = seam.fate.endsWith('before');
    this.#events.plan(wait, `${isEarly ? `is ${seam.fate}` : 'sends'} ${brief(text)}`, seam.owner, async () => {
      if (isEarly) return this.#meet(seam);
      if (this.#isToldOfTime(text)) await this.#tellOfTime();
      const channel = /^listen (\w+)/i.exec(text)?.[1];
      if (channel !== undefined) {
        await this.#observer.listen(channel);
        seam.channels.add(channel);
      }
      // It may have been ended meanwhile, by the process itself.
      if (seam.state !== 'planned') return;
      seam.state = 'sent';
      send();
    });
  }

  #drawFate(text: string): Fate {
    const { lost, killed } = this.faults;
    const weight = changes.test(text) ? 1 : 0.1;
    const when = this.#random.chance(0.5) ? 'before' : 'behind';
    const drawn = this.#random.next();
    if (drawn < killed * weight) return `killed ${when}`;
    return drawn < (killed + lost) * weight ? `cut off ${when}` : 'answered';
  }

  #meet(seam: Seam): Promise<void> {
    return seam.fate.startsWith('killed') ? this.onKilled(seam.owner) : this.#break(seam);
  }

  #failed(seam: Seam | undefined, failure: Failure): void {
    if (seam === undefined) return;
    if (failure.code === '57014' && seam.cancelledAs !== null) failure.code = seam.cancelledAs;
    this.#events.note(`${seam.owner.name} is refused with ${failure.code}: ${brief(seam.text)}`);
  }

  #answered(seam: Seam | undefined, deliver: () => void): void {
    if (seam === undefined) return;
    seam.state = 'answered';
    seam.cancelledAs = null;
    const wait = this.#random.below(3);
    const label = `${seam.fate === 'answered' ? 'has the answer to' : `is ${seam.fate}`} ${brief(seam.text)}`;
    this.#events.plan(wait, label, seam.owner, () => {
      if (seam.state !== 'answered') return undefined;
      if (seam.fate !== 'answered') return this.#meet(seam);
      seam.state = 'idle';
      deliver();
      return undefined;
    });
    this.#wake();
  }

  #ending(seam: Seam | undefined): void {
    if (seam === undefined || seam.state === 'gone') return;
    this.#changing += 1;
    seam.client.once('end', () => this.#changed());
  }

  async #break(seam: Seam): Promise<void> {
    if (seam.state === 'gone') return;
    this.#changing += 1;
    seam.client.once('end', () => this.#changed());
    await this.#observer.terminate([seam.pid]);
    await this.#lookAtWaiting();
  }

  #changed(): void {
    this.#changing -= 1;
    this.#wake();
  }

  #forget(seam: Seam): void {
    seam.state = 'gone';
    this.#seams.delete(seam.client);
    this.#wake();
  }

  /** A round trip of its own before each statement would double what a simulation costs. */
  #isToldOfTime(text: string): boolean {
    const isOld = this.#events.now - this.#toldAt >= clockStepMs || this.#mayHaveNotified;
    if (changes.test(text)) this.#mayHaveNotified = true;
    return isOld;
  }

  /** The database's clock follows; what it had to tell so far is on its way to those who listen. */
  async #tellOfTime(): Promise<void> {
    this.#toldAt = this.#events.now;
    this.#mayHaveNotified = false;
    for (const { channel, payload } of await this.#observer.advance(this.#events.now)) {
      for (const seam of this.#seams.values()) {
        if (!seam.channels.has(channel)) continue;
        // In their order, on one connection.
        seam.lastHeardAt = Math.max(seam.lastHeardAt, this.#events.now + this.#random.below(5));
        this.#events.plan(seam.lastHeardAt - this.#events.now, `hears ${channel}`, seam.owner, () => {
          if (seam.state !== 'gone') seam.client.emit('notification', { channel, payload });
        });
      }
    }
  }

  async #untilAnswered(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (await Promise.race([answered.then(() => true), realPause(patienceMs).then(() => false)])) {
      await this.#lookAtWaiting();
      return;
    }
    const sent = this.#sent();
    const waiting = await this.#observer.waiting(sent.map(({ pid }) => pid));
    for (const seam of sent) {
      if (seam.state === 'sent' && waiting.has(seam.pid)) await this.#waits(seam);
    }
  }

  async #waits(seam: Seam): Promise<void> {
    seam.state = 'waits';
    this.#events.note(`${seam.owner.name} waits for a lock: ${brief(seam.text)}`);
    if (await this.#isInCircle(seam)) return this.#cancel(seam, deadlock);
    const { turn } = seam;
    this.#events.plan(lockTimeoutMs, 'has waited long enough for a lock', seam.owner, () =>
      seam.turn === turn && seam.state === 'waits' ? this.#cancel(seam, lockTimeout) : undefined,
    );
  }

  async #cancel(seam: Seam, as: string): Promise<void> {
    seam.cancelledAs = as;
    seam.state = 'sent';
    await this.#observer.cancel(seam.pid);
  }

  /** Whether the statement waits for one that, over others, waits for it. */
  async #isInCircle(seam: Seam): Promise<boolean> {
    const seen = new Set<number>();
    const open = await this.#observer.blockers(seam.pid);
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      if (pid === seam.pid) return true;
      if (seen.has(pid)) continue;
      seen.add(pid);
      open.push(...(await this.#observer.blockers(pid)));
    }
    return false;
  }

  /** A lock may have been let go: those who waited for it go on before anything else happens. */
  async #lookAtWaiting(): Promise<void> {
    const waiting = [...this.#seams.values()].filter(({ state }) => state === 'waits');
    if (waiting.length === 0) return;
    const still = await this.#observer.waiting(waiting.map(({ pid }) => pid));
    for (const seam of waiting) if (seam.state === 'waits' && !still.has(seam.pid)) seam.state = 'sent';
  }
}

/** Of these the moments before and behind are tried most; the others are mostly looks that find nothing. */
const changes =
  /^\s*(insert|update|delete|begin|commit|start|select (place|queue|complete|pg_notify|pg_advisory_xact)|with (?!recursive|dead))/i;

/** What a statement is, without values and ids. */
function brief(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}
