/**
 * The worlds that this process has open. A world is opened by its first request and closed when it has had none for a
 * while, so that an idle one costs no connection; if it has jobs that fall due later, it is opened again for them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { factorOf } from '../../base/clock.ts';
import type { Environment } from '../../engines/environment.ts';
import { nextDue } from '../../engines/jobs/coming.ts';
import type { SealedColumn } from './snapshot-secrets.ts';

/** What `boot` knows: how an environment is opened on a database. */
export interface WorldOpener {
  openEnvironment(id: string, databaseUrl: string): Promise<OpenWorldEnvironment>;
  /** The columns that are sealed with the server key. */
  readonly sealed: readonly SealedColumn[];
  /** The file that copies, saves and loads in a thread; what it loads it checks as the interfaces would. */
  readonly threadProgram: string;
}

interface OpenWorldParts {
  readonly opener: WorldOpener;
  urlOf(id: string): string;
  /** Done each time a world is opened, before anybody uses it. */
  prepare(id: string, env: Environment): Promise<void>;
}

interface OpenWorldEnvironment {
  readonly env: Environment;
  serve(sip: WantedSip | null): Promise<WorldService>;
  /** Does in a template what `serve` would otherwise do in each of its clones. */
  prepareTemplate(): Promise<void>;
  close(): Promise<void>;
}

/** SIP of a world's own. */
export interface WantedSip {
  /** Of UDP and TCP; zero, or if another program has taken it: any free one. */
  readonly port: number;
  /** A call has arrived. */
  used(): void;
}

export interface WorldService {
  /** Null: no SIP. */
  readonly sipPort: number | null;
  handle(request: IncomingMessage, response: ServerResponse): void;
  stop(): Promise<void>;
}

interface Opened {
  readonly environment: Promise<OpenWorldEnvironment>;
  /** Null until it is needed for requests or jobs. */
  service: Promise<WorldService> | null;
  uses: number;
  usedAt: number;
}

/** Closed when it was not used for this long. */
const closedAfterMs = 15_000;
const lookEveryMs = 5_000;
/** A request that still runs when its world ends or is cloned is cut off after this. */
const requestPatienceMs = 5_000;
/** Node's longest timer. */
const longestWaitMs = 2 ** 31 - 1;

export class OpenWorlds {
  readonly #parts: OpenWorldParts;
  readonly #opened = new Map<string, Opened>();
  /** Worlds that are closed for a change of their database: who needs one waits. */
  readonly #changing = new Map<string, Promise<unknown>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #wakeUps = new Map<string, NodeJS.Timeout>();
  /** Worlds with SIP and their ports: they stay open, since a call may come at any time. */
  readonly #sipPorts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  /** Used since the last call of `takeUsed`. */
  #used = new Set<string>();
  #stopped = false;

  constructor(parts: OpenWorldParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#closeIdle(), lookEveryMs).unref();
  }

  get size(): number {
    return this.#opened.size;
  }

  /** The ids that were used since the last call. */
  takeUsed(): string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }

  async handle(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const opened = await this.#enter(id);
    this.#used.add(id);
    response.once('close', () => this.#leave(opened));
    // The client may have gone while the world was opened.
    if (response.destroyed) return this.#leave(opened);
    (await this.#serviceOf(id, opened)).handle(request, response);
  }

  /** Opens a world for the requests and jobs that will come. */
  async begin(id: string): Promise<void> {
    const opened = await this.#enter(id);
    try {
      // It may have been closed meanwhile.
      if (this.#opened.get(id) === opened) await this.#serviceOf(id, opened);
    } finally {
      this.#leave(opened);
    }
  }

  /** Work on a world's data that is no request. */
  async use<T>(id: string, work: (env: Environment) => Promise<T>): Promise<T> {
    const opened = await this.#enter(id);
    try {
      return await work((await opened.environment).env);
    } finally {
      this.#leave(opened);
    }
  }

  /** Opens the SIP of a world on this port, or on another that is free, and keeps it open. Returns the port. */
  async listen(id: string, port: number): Promise<number> {
    this.#sipPorts.set(id, port);
    for (;;) {
      const opened = await this.#enter(id);
      try {
        const { sipPort } = await this.#serviceOf(id, opened);
        if (sipPort !== null) {
          if (this.#sipPorts.has(id)) this.#sipPorts.set(id, sipPort);
          return sipPort;
        }
      } finally {
        this.#leave(opened);
      }
      // A request has opened the world before it was known that it has SIP.
      await this.close(id);
    }
  }

  /** The world does not listen again when it is next opened. */
  stopListening(id: string): void {
    this.#sipPorts.delete(id);
  }

  /** Closes a world in this process, changes its database, and lets in who came meanwhile. */
  async change<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#changing.get(id) ?? Promise.resolve();
    const changed = before
      .catch(() => undefined)
      .then(async () => {
        await this.close(id);
        return work();
      });
    this.#changing.set(id, changed);
    try {
      return await changed;
    } finally {
      if (this.#changing.get(id) === changed) this.#changing.delete(id);
      const port = this.#sipPorts.get(id);
      if (port !== undefined && !this.#stopped) await this.listen(id, port).catch(() => undefined);
    }
  }

  /** Resolves when nothing of it is open, also if somebody else has begun to close it. */
  async close(id: string): Promise<void> {
    clearTimeout(this.#wakeUps.get(id));
    this.#wakeUps.delete(id);
    const opened = this.#opened.get(id);
    this.#opened.delete(id);
    const before = this.#closing.get(id);
    if (opened === undefined) return before;
    const closed = Promise.allSettled([before, shut(opened)]).then(([, own]) => {
      if (this.#closing.get(id) === closed) this.#closing.delete(id);
      if (own.status === 'rejected') throw own.reason;
    });
    this.#closing.set(id, closed);
    return closed;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    for (const timer of this.#wakeUps.values()) clearTimeout(timer);
    await Promise.all([...this.#opened.keys()].map((id) => this.close(id)));
  }

  async #enter(id: string): Promise<Opened> {
    await this.#changing.get(id)?.catch(() => undefined);
    if (this.#stopped) throw new Error('the worlds are being closed');
    const opened = this.#opened.get(id) ?? this.#open(id);
    opened.uses += 1;
    opened.usedAt = performance.now();
    try {
      await opened.environment;
      return opened;
    } catch (error) {
      this.#leave(opened);
      throw error;
    }
  }

  #leave(opened: Opened): void {
    opened.uses -= 1;
    opened.usedAt = performance.now();
  }

  #open(id: string): Opened {
    const environment = this.#openEnvironment(id);
    const opened: Opened = { environment, service: null, uses: 0, usedAt: performance.now() };
    this.#opened.set(id, opened);
    environment.catch(() => this.#forget(id, opened));
    return opened;
  }

  async #openEnvironment(id: string): Promise<OpenWorldEnvironment> {
    const { opener, urlOf, prepare } = this.#parts;
    const opened = await opener.openEnvironment(id, urlOf(id));
    try {
      await prepare(id, opened.env);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  #serviceOf(id: string, opened: Opened): Promise<WorldService> {
    const port = this.#sipPorts.get(id);
    const sip = port === undefined ? null : { port, used: () => void this.#used.add(id) };
    opened.service ??= opened.environment.then((environment) => environment.serve(sip));
    opened.service.catch(() => this.#forget(id, opened));
    return opened.service;
  }

  #forget(id: string, opened: Opened): void {
    if (this.#opened.get(id) === opened) this.#opened.delete(id);
  }

  async #closeIdle(): Promise<void> {
    for (const [id, opened] of this.#opened) {
      if (opened.uses > 0 || performance.now() - opened.usedAt < closedAfterMs || this.#sipPorts.has(id)) continue;
      try {
        const { env } = await opened.environment;
        const wait = await untilNextJob(env);
        if (wait !== null && wait < closedAfterMs) continue;
        // Somebody may have come while the database was asked.
        if (opened.uses > 0 || this.#opened.get(id) !== opened) continue;
        await this.close(id);
        if (wait !== null) this.#wakeUp(id, wait);
      } catch {
        await this.close(id).catch(() => undefined);
      }
    }
  }

  #wakeUp(id: string, waitMs: number): void {
    const wake = () => {
      this.#wakeUps.delete(id);
      this.begin(id).catch(() => undefined);
    };
    const timer = setTimeout(wake, Math.min(waitMs, longestWaitMs)).unref();
    this.#wakeUps.set(id, timer);
  }
}

async function shut(opened: Opened): Promise<void> {
  const deadline = performance.now() + requestPatienceMs;
  while (opened.uses > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  await (await opened.service?.catch(() => null))?.stop();
  await (await opened.environment.catch(() => null))?.close();
}

/** Milliseconds of real time until a job of this environment is due by its clock; null if it has none. */
async function untilNextJob(env: Environment): Promise<number | null> {
  const next = await nextDue(env.pool);
  return next === null ? null : Math.max(0, next.getTime() - env.clock.now().getTime()) / factorOf(env.clock);
}
