/** One relay thread as the engine sees it: requests with their answers, events, and its death. */
import { Worker } from 'node:worker_threads';
import { type CallQuality, MediaRefused, MediaUnavailable } from '../media-engine.ts';
import { Outbox } from './outbox.ts';
import { relayProgram } from './relay-program.ts';
import type { FromThread, ThreadSettings, ToThread } from './thread-messages.ts';

interface ThreadUser {
  silent(call: number, leg: number): void;
  keyPressed(call: number, leg: number, key: string, durationMs: number): void;
  /** Told once. Requests that were open have been rejected. */
  ended(reason: string): void;
}

type Answer = Extract<FromThread, { kind: 'described' | 'figures' }>;
type Request = Extract<ToThread, { id: number }>;
/** A request without the number that it gets here. */
type Unnumbered = Request extends infer Each ? (Each extends Request ? Omit<Each, 'id'> : never) : never;

export class RelayThread {
  readonly #worker: Worker;
  readonly #outbox = new Outbox<ToThread>((messages) => this.#worker.postMessage(messages));
  readonly #user: ThreadUser;
  readonly #open = new Map<number, PromiseWithResolvers<Answer>>();
  #requests = 0;
  #problem: string | null = null;
  #isReady = false;
  #hasEnded = false;

  constructor(settings: ThreadSettings, user: ThreadUser) {
    this.#user = user;
    this.#worker = new Worker(relayProgram, { workerData: settings, execArgv: [] });
    this.#worker.on('message', (messages: FromThread[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#worker.on('error', (error) => {
      this.#problem = `A media thread has failed: ${error.message}`;
    });
    this.#worker.on('exit', () => this.#end(this.#problem ?? 'A media thread has ended.'));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(message: Exclude<ToThread, { id: number }>): void {
    this.#outbox.add(message);
  }

  /** Rejects with `MediaRefused` or `MediaUnavailable`. */
  async describe(message: Extract<Unnumbered, { kind: 'describe' }>): Promise<Extract<Answer, { kind: 'described' }>> {
    const answer = await this.#request(message);
    if (answer.kind !== 'described') throw new Error('the media thread has answered something else');
    return answer;
  }

  async figures(message: Extract<Unnumbered, { kind: 'quality' | 'close' }>): Promise<CallQuality> {
    const answer = await this.#request(message);
    if (answer.kind !== 'figures') throw new Error('the media thread has answered something else');
    return answer.quality;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #request(message: Unnumbered): Promise<Answer> {
    if (this.#hasEnded) return Promise.reject(new MediaUnavailable('The media thread of the call has ended.'));
    const id = ++this.#requests;
    const answer = Promise.withResolvers<Answer>();
    this.#open.set(id, answer);
    this.#outbox.add({ ...message, id });
    return answer.promise;
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.#isReady = true;
        return;
      case 'silent':
        return void this.#user.silent(message.call, message.leg);
      case 'key':
        return void this.#user.keyPressed(message.call, message.leg, message.key, message.durationMs);
      case 'failed':
        return void this.#take(message.id)?.reject(errorOf(message));
      default:
        this.#take(message.id)?.resolve(message);
    }
  }

  #take(id: number): PromiseWithResolvers<Answer> | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    for (const { reject } of this.#open.values()) reject(new MediaUnavailable(reason));
    this.#open.clear();
    this.#user.ended(reason);
  }
}

function errorOf({ reason, message }: Extract<FromThread, { kind: 'failed' }>): Error {
  if (reason === 'refused') return new MediaRefused(message);
  return reason === 'unavailable' ? new MediaUnavailable(message) : new Error(message);
}
