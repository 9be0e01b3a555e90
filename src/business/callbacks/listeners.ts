/**
 * Who listens to what the sandbox sends for an account: `trunkline listen`, in whatever process its stream is open.
 * Processes tell each other by notifications; while nobody listens to an account, sending costs nothing more.
 */
import type { Environment } from '../../engines/environment.ts';

/** What is about to be sent for the first time: a callback, or the events of a stream in one request. */
export type Sent = { callback: string } | { stream: string; events: readonly number[] };

/** A stream tells others of itself this often; who has not heard of it for three times as long forgets it. */
export const announceMs = 5_000;
/** Of one notification, which has 8,000 bytes. */
const mostEvents = 300;

/**
 * One per process and environment, from the start: the first callback is told of to who listens through another
 * process.
 */
export interface WithListeners {
  readonly listeners: Listeners;
}

export class Listeners {
  readonly #env: Pick<Environment, 'changes' | 'pool'>;
  /** Account → until when it is listened to, by the machine's monotonic clock. */
  readonly #until = new Map<string, number>();

  constructor(env: Pick<Environment, 'changes' | 'pool'>) {
    this.#env = env;
    env.changes.on('listening', (accountId) => this.#until.set(accountId, performance.now() + 3 * announceMs));
  }

  /** Called by an open stream, again and again. */
  async announce(accountId: string): Promise<void> {
    await this.#notify(`listening ${accountId}`);
    this.#until.set(accountId, performance.now() + 3 * announceMs);
  }

  /** Called before a request is sent for the first time. */
  async tell(accountId: string, sent: Sent): Promise<void> {
    if ((this.#until.get(accountId) ?? 0) < performance.now()) return;
    if ('callback' in sent) return this.#notify(`sent ${accountId} ${JSON.stringify(sent)}`);
    for (let from = 0; from < sent.events.length; from += mostEvents) {
      const part: Sent = { stream: sent.stream, events: sent.events.slice(from, from + mostEvents) };
      await this.#notify(`sent ${accountId} ${JSON.stringify(part)}`);
    }
  }

  /** Hears what is sent for the account, by any process. Returns how to stop that. */
  on(accountId: string, heard: (sent: Sent) => void): () => void {
    return this.#env.changes.on('sent', (text) => {
      const space = text.indexOf(' ');
      if (text.slice(0, space) === accountId) heard(JSON.parse(text.slice(space + 1)));
    });
  }

  async #notify(text: string): Promise<void> {
    await this.#env.pool.query(`select pg_notify('trunkline', $1)`, [text]);
  }
}

/** Tells those who listen, in the sandbox. That nobody could be told must not keep a callback from being sent. */
export async function tellListeners(
  env: Pick<Environment, 'name' | 'log'> & WithListeners,
  accountId: string,
  sent: Sent,
): Promise<void> {
  if (env.name !== 'sandbox') return;
  await env.listeners
    .tell(accountId, sent)
    .catch((error: unknown) => env.log.warn({ err: error }, 'those who listen could not be told'));
}
