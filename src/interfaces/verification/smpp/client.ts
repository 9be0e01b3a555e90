/** SMPP client: one session, reopened with growing pauses after it breaks, within the agreed window and throughput. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from './messages.ts';
import {
  openSession,
  type SessionOptions,
  type SmppSession,
  SmppStatusError,
  SmppUnavailableError,
} from './session.ts';

export interface ClientOptions extends SessionOptions {
  /** Maximum number of requests without a response. */
  window: number;
  /** Maximum number of messages per second. */
  throughput: number;
  reconnectMs: { first: number; longest: number };
  /** Pauses before each retry while the SMSC is too busy to take a message. */
  busyMs: readonly number[];
}

export interface ClientEvents {
  delivery(delivery: Delivery): Promise<void>;
  /** For the log: `null` when a session was bound, else why there is none. */
  connection(problem: Error | null): void;
}

/** ESME_RTHROTTLED and ESME_RMSGQFUL. */
const busyStatuses = new Set([0x58, 0x14]);

export class SmppClient {
  readonly #options: ClientOptions;
  readonly #events: ClientEvents;
  readonly #throttle: Throttle;
  #session: SmppSession | null = null;
  #opening: Promise<SmppSession> | null = null;
  #failures = 0;
  #closed = false;
  readonly #stop = new AbortController();

  constructor(options: ClientOptions, events: ClientEvents) {
    this.#options = options;
    this.#events = events;
    this.#throttle = new Throttle(options.window, options.throughput);
  }

  /**
   * Sends one submit_sm within window and throughput; after an `SmppConnectionError` it is unknown whether the SMSC
   * took it. `begin` is awaited when it is this message's turn and a session is bound, with nothing sent yet.
   */
  async submit(body: Buffer, begin?: () => Promise<void>): Promise<Buffer> {
    const release = await this.#throttle.enter();
    try {
      const session = await this.ready();
      await begin?.();
      return await this.#submitWhenNotBusy(session, body);
    } finally {
      release();
    }
  }

  /** A message that waits keeps its place in the window, so that the others slow down too. */
  async #submitWhenNotBusy(session: SmppSession, body: Buffer): Promise<Buffer> {
    for (const wait of this.#options.busyMs) {
      try {
        return await session.request('submit_sm', body);
      } catch (error) {
        if (!(error instanceof SmppStatusError) || !busyStatuses.has(error.status)) throw error;
      }
      await pause(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    return session.request('submit_sm', body);
  }

  /** The bound session; opens one at the first call. */
  ready(): Promise<SmppSession> {
    if (this.#closed) return Promise.reject(new SmppUnavailableError('the client is closed'));
    if (this.#session?.open) return Promise.resolve(this.#session);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop.abort();
    await this.#opening?.catch(() => undefined);
    await this.#session?.unbind();
  }

  async #open(): Promise<SmppSession> {
    try {
      const events = {
        delivery: (delivery: Delivery) => this.#events.delivery(delivery),
        closed: (session: SmppSession, reason: Error) => this.#lost(session, reason),
      };
      const session = await openSession(this.#options, events, this.#stop.signal);
      this.#session = session;
      this.#failures = 0;
      this.#events.connection(null);
      return session;
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error));
      this.#events.connection(problem);
      void this.#reopenLater();
      throw problem;
    }
  }

  #lost(session: SmppSession, reason: Error): void {
    if (this.#session !== session) return;
    this.#session = null;
    if (this.#closed) return;
    this.#events.connection(reason);
    void this.#reopenLater();
  }

  /** Receipts arrive only while bound, so a lost session is opened again without waiting for the next message. */
  async #reopenLater(): Promise<void> {
    const { first, longest } = this.#options.reconnectMs;
    const wait = Math.min(longest, first * 2 ** this.#failures++);
    await pause(wait, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
    if (!this.#closed && !this.#session?.open && this.#opening === null) await this.ready().catch(() => undefined);
  }
}

/** Lets at most `window` tasks run at once and at most `perSecond` start in a second, first come first served. */
class Throttle {
  readonly #window: number;
  readonly #gapMs: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(window: number, perSecond: number) {
    this.#window = window;
    this.#gapMs = 1000 / perSecond;
  }

  /** Resolves when it is this caller's turn, with a function that ends the turn. */
  enter(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#queue.push(() => resolve(this.#leaveOnce()));
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#timer !== undefined || this.#queue.length === 0 || this.#running >= this.#window) return;
    const now = performance.now();
    // Up to 100 ms of unused allowance may be used later, so that a busy event loop does not reduce the throughput.
    this.#next = Math.max(this.#next, now - 100);
    if (this.#next > now) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, this.#next - now);
      return;
    }
    this.#next += this.#gapMs;
    this.#running++;
    this.#queue.shift()?.();
    this.#advance();
  }

  #leaveOnce(): () => void {
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#running--;
      this.#advance();
    };
  }
}
