/**
 * Counts that all processes of an environment share: what requests used of a limit. Each process counts its own
 * requests in memory, at once and exactly, and tells the others every 100 ms what it has counted (NOTIFY, one statement
 * for all limits, no row and no lock). A process that is alone sends nothing but a sign of life. While the database is
 * unreachable each process counts for itself.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';

/** `scale` is what the hearer needs to place the count: the limit per second, or the seconds of the window. */
export type Counted = (subject: string, count: number, scale: number) => void;

const shareEveryMs = 100;
const signOfLifeMs = 5_000;
/** A process that was not heard for so long is gone. */
const goneAfterMs = 3 * signOfLifeMs;
/** PostgreSQL takes 7,999 bytes of text in a notification. */
const longestMessage = 7_900;
/**
 * What one batch may tell: a flood from very many addresses must not flood the database in turn. The rest counts here
 * only.
 */
const mostSubjects = 2_000;

const topic = 'counted';

/** The standing connection that tells and hears (changes.ts). */
interface Notices {
  readonly closed: boolean;
  on(topic: string, hearer: (about: string) => void): () => void;
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** A message: who sends it and, in several parts if need be, what it counted. Without counts it is a sign of life. */
type Message = [process: string, counts: [kind: string, subject: string, count: number, scale: number][]];

/** One for all limits of an environment in this process: `Changes.counts`. */
export class SharedCounts {
  readonly #notices: Notices;
  readonly #log: Pick<Logger, 'debug'>;
  readonly #id = randomUUID();
  readonly #since = performance.now();
  readonly #heard = new Map<string, Set<Counted>>();
  /** When other processes were last heard, by their ids. */
  readonly #others = new Map<string, number>();
  #batch = new Map<string, Message[1][number]>();
  #timer: NodeJS.Timeout | null = null;

  constructor(notices: Notices, log: Pick<Logger, 'debug'>) {
    this.#notices = notices;
    this.#log = log;
    notices.on(topic, (text) => this.#hear(JSON.parse(text)));
    const beat = setInterval(() => this.#live(beat), signOfLifeMs).unref();
    this.#live(beat);
  }

  /** Whether no other process is heard, by one that has run for a while; one that has just started is heard at once. */
  get isAlone(): boolean {
    return this.#others.size === 0 && performance.now() - this.#since > signOfLifeMs;
  }

  /** `kind` names the limit. Calls `heard` for what other processes counted; the returned function counts for them. */
  join(kind: string, heard: Counted): Counted {
    const hearers = this.#heard.get(kind) ?? new Set();
    this.#heard.set(kind, hearers.add(heard));
    return (subject, count, scale) => {
      if (this.#others.size === 0) return;
      const key = `${kind} ${subject}`;
      const [, , before] = this.#batch.get(key) ?? ['', '', 0];
      if (before === 0 && this.#batch.size >= mostSubjects) return;
      this.#batch.set(key, [kind, subject, before + count, scale]);
      this.#timer ??= setTimeout(() => this.#tellBatch(), shareEveryMs).unref();
    };
  }

  #tellBatch(): void {
    this.#timer = null;
    const counts = [...this.#batch.values()];
    this.#batch = new Map();
    this.#send(counts);
  }

  #hear([process, counts]: Message): void {
    if (process === this.#id) return;
    // A process that has just started learns at once that it is not alone.
    if (!this.#others.has(process)) this.#send([]);
    this.#others.set(process, performance.now());
    for (const [kind, subject, count, scale] of counts) {
      for (const hearer of this.#heard.get(kind) ?? []) hearer(subject, count, scale);
    }
  }

  #live(beat: NodeJS.Timeout): void {
    if (this.#notices.closed) clearInterval(beat);
    for (const [process, at] of this.#others) {
      if (performance.now() - at > goneAfterMs) this.#others.delete(process);
    }
    this.#send([]);
  }

  #send(counts: Message[1]): void {
    const messages = inMessages(this.#id, counts).map((message) => `${topic} ${message}`);
    this.#notices
      .query(`select pg_notify('trunkline', message) from unnest($1::text[]) as message`, [messages])
      .catch((error) => this.#log.debug({ err: error }, 'other processes were not told what was counted'));
  }
}

function inMessages(process: string, counts: Message[1]): string[] {
  const parts: Message[1][] = [[]];
  let size = 0;
  for (const count of counts) {
    size += JSON.stringify(count).length + 1;
    if (size > longestMessage - 100) {
      parts.push([]);
      size = JSON.stringify(count).length + 1;
    }
    parts.at(-1)?.push(count);
  }
  return parts.map((part) => JSON.stringify([process, part] satisfies Message));
}
