/**
 * Live events of one process: reads what the database's triggers have written as soon as it is told so (NOTIFY), and
 * hands it to the streams that are open here. Nothing is missed or kept twice: a read begins at the oldest transaction
 * that was still open at the read before, and that number is the id of the events, from which a cut stream goes on.
 */
import type { Environment } from '../../engines/environment.ts';
import { countJobs } from '../../engines/jobs/inspect.ts';
import { endedSessions } from './ended-sessions.ts';
import { cleanEvents, everyAccount, type LiveEvent, readEvents, watch } from './event-store.ts';

/** One open stream. */
export interface Stream {
  readonly sessionId: string;
  /** `everyAccount` for operators. */
  readonly accountId: string;
  /** `id` is where a stream that is cut here goes on. Returns false if the client does not keep up. */
  send(id: string, events: readonly LiveEvent[]): boolean;
  /** Everything may have changed: the client reads anew. */
  refresh(id: string): void;
  beat(): void;
  close(): void;
}

const tickMs = 15_000;
/** The queue's own tables have no triggers of ours: while an operator looks, its counts are compared. */
const jobsMs = 3_000;
/** Reads are at least so far apart, however many notifications arrive. */
const pauseMs = 100;
export const streamLimits = { perSession: 6, perProcess: 1_000, eventsAtOnce: 100 } as const;

export class EventHub {
  readonly #env: Environment;
  readonly #streams = new Set<Stream>();
  /** Watched account → since when its events are kept. */
  readonly #since = new Map<string, string>();
  #horizon = '';
  #seen: ReadonlySet<string> = new Set();
  #reading: Promise<void> | null = null;
  #isStale = false;
  readonly #stops: (() => void)[];
  readonly #timers: readonly NodeJS.Timeout[];
  #jobCounts = '';
  #closed = false;

  constructor(env: Environment) {
    this.#env = env;
    this.#stops = [
      env.changes.on('panel_events', () => this.#wake()),
      env.changes.on('panel_session', (id) => this.#closeWhere(({ sessionId }) => sessionId === id)),
      // The clock may have jumped past the time after which watchers are deleted.
      env.changes.on('clock', () => this.#tick()),
      // Nothing is heard any more: clients come back, and go on where they were.
      env.changes.onLost(() => this.#closeWhere(() => true)),
    ];
    this.#timers = [
      setInterval(() => this.#tick(), tickMs).unref(),
      setInterval(() => this.#compareJobs(), jobsMs).unref(),
    ];
  }

  /** Whether another stream of this session may be opened. */
  hasRoom(sessionId: string): boolean {
    if (this.#closed || this.#streams.size >= streamLimits.perProcess) return false;
    return [...this.#streams].filter((stream) => stream.sessionId === sessionId).length < streamLimits.perSession;
  }

  /** Goes on after `lastId` if the events since then are kept; otherwise the client is asked to read anew. */
  async open(stream: Stream, lastId: string | null): Promise<void> {
    this.#streams.add(stream);
    if (this.#horizon === '') this.#horizon = (await readEvents(this.#env, null, [])).horizon;
    const { since } = await this.#watch(stream.accountId);
    if (lastId !== null && BigInt(since) <= BigInt(lastId)) {
      const { horizon, events } = await readEvents(this.#env, lastId, [stream.accountId]);
      this.#deliver(stream, horizon, events);
    } else stream.refresh((await readEvents(this.#env, null, [])).horizon);
  }

  leave(stream: Stream): void {
    this.#streams.delete(stream);
    // The next stream begins at its own moment.
    if (this.#streams.size === 0) this.#horizon = '';
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stop of this.#stops) stop();
    this.#closeWhere(() => true);
  }

  #closeWhere(isMeant: (stream: Stream) => boolean): void {
    for (const stream of [...this.#streams].filter(isMeant)) {
      this.leave(stream);
      stream.close();
    }
  }

  async #watch(accountId: string): Promise<{ since: string }> {
    const watched = await watch(this.#env, accountId);
    const known = this.#since.get(accountId);
    this.#since.set(accountId, watched.since);
    // It had been forgotten meanwhile, so events may be missing.
    if (known !== undefined && known !== watched.since && watched.isNew) {
      for (const stream of this.#streams) if (stream.accountId === accountId) stream.refresh(this.#horizon);
    }
    return watched;
  }

  #wake(): void {
    // A stream that is being opened reads by itself what is written before the horizon is known.
    if (this.#streams.size === 0 || this.#horizon === '' || this.#closed) return;
    if (this.#reading !== null) {
      this.#isStale = true;
      return;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
      if (this.#isStale) setTimeout(() => this.#wake(), pauseMs).unref();
      this.#isStale = false;
    });
  }

  async #read(): Promise<void> {
    try {
      const accounts = [...new Set([...this.#streams].map(({ accountId }) => accountId))];
      const { horizon, events } = await readEvents(this.#env, this.#horizon, accounts);
      const fresh = events.filter(({ id }) => !this.#seen.has(id));
      this.#seen = new Set(events.map(({ id }) => id));
      this.#horizon = horizon;
      for (const stream of this.#streams) this.#deliver(stream, horizon, fresh);
    } catch (error) {
      this.#env.log.warn({ err: error }, 'live events could not be read');
      this.#closeWhere(() => true);
    }
  }

  #deliver(stream: Stream, horizon: string, events: readonly LiveEvent[]): void {
    const own = events.filter(({ accountId }) => stream.accountId === everyAccount || accountId === stream.accountId);
    if (own.length > streamLimits.eventsAtOnce) stream.refresh(horizon);
    else if (own.length > 0 && !stream.send(horizon, own)) this.#closeWhere((each) => each === stream);
  }

  async #compareJobs(): Promise<void> {
    const operators = [...this.#streams].filter(({ accountId }) => accountId === everyAccount);
    if (operators.length === 0 || this.#horizon === '') return;
    const counts = JSON.stringify(await countJobs(this.#env).catch(() => this.#jobCounts));
    if (counts === this.#jobCounts) return;
    this.#jobCounts = counts;
    const event = { id: '', accountId: everyAccount, topic: 'jobs', subject: '' };
    for (const stream of operators) stream.send(this.#horizon, [event]);
  }

  /** Keeps streams and their watchers alive, and ends what is over. */
  async #tick(): Promise<void> {
    try {
      const ids = [...new Set([...this.#streams].map(({ sessionId }) => sessionId))];
      const ended = await endedSessions(this.#env, ids);
      this.#closeWhere(({ sessionId }) => ended.has(sessionId));
      const accounts = new Set([...this.#streams].map(({ accountId }) => accountId));
      for (const accountId of this.#since.keys()) if (!accounts.has(accountId)) this.#since.delete(accountId);
      for (const accountId of accounts) await this.#watch(accountId);
      await cleanEvents(this.#env);
      for (const stream of this.#streams) stream.beat();
    } catch (error) {
      this.#env.log.warn({ err: error }, 'live events could not be kept up');
    }
  }
}
