/**
 * The network between the processes and everybody else, at the places where they meet it: requests of customers to a
 * process, and a process' requests to receivers. It delays, drops, doubles and reorders; a request may be lost on its
 * way or its answer on the way back, and nobody can tell which.
 */

import type { OutboundHttp } from '../../src/engines/outbound/outbound-http.ts';
import {
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
} from '../../src/engines/outbound/outbound-request.ts';
import { SentRequests } from '../../src/engines/outbound/sent-requests.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Events } from './events.ts';
import type { SimulatedProcess } from './simulated-process.ts';

interface NetworkFaults {
  /** Of one request: never arrives. */
  readonly dropped: number;
  /** Of one request: arrives, and its answer does not. */
  readonly unanswered: number;
  readonly doubled: number;
  /** Of one request: takes seconds. */
  readonly slow: number;
}

/** Whoever is asked by a process; returns the status of the answer. */
type Receiver = (request: OutboundRequest) => { status: number; body: string };

interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** `null`: nobody knows what became of the request. */
export type Answered = { readonly status: number; readonly text: string; readonly from: string } | null;

const patienceMs = 30_000;
const longestDelayMs = 8_000;
/** Shorter than the time limits of those who wait: no rest would be long enough for those. */
const longestSilenceMs = 10_000;

export class Network {
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #receivers = new Map<string, Receiver>();
  faults: NetworkFaults = { dropped: 0, unanswered: 0, doubled: 0, slow: 0 };

  constructor(events: Events, random: SeededRandom) {
    this.#events = events;
    this.#random = random;
  }

  /** Who answers at `http://<host>`. */
  receive(host: string, receiver: Receiver): void {
    this.#receivers.set(host, receiver);
  }

  /** A customer's request to a process, which may be dying. */
  async ask(process: SimulatedProcess, { method, path, headers = {}, body }: Asked): Promise<Answered> {
    const { dropped, unanswered } = this.faults;
    const isDropped = this.#random.chance(dropped);
    const isUnanswered = this.#random.chance(unanswered);
    const label = `${method} ${path.split('?')[0]?.replaceAll(/[0-9a-f-]{36}/g, ':id')}`;
    return new Promise((resolve) => {
      const give = (answer: Answered) => {
        patience.withdraw();
        resolve(answer);
      };
      const patience = this.#events.plan(patienceMs, `gives up ${label}`, null, () => resolve(null));
      this.#events.plan(this.#delay(), `${isDropped ? 'loses' : 'has'} ${label} for ${process.name}`, null, () => {
        const { started } = process;
        if (isDropped || process.isDead || started === null) return;
        const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
        const type = body === undefined ? {} : { 'content-type': 'application/vnd.api+json' };
        const request = { method, url: path, headers: { ...type, ...headers }, ...payload };
        void process
          .run(() => started.app.inject(request))
          .then(({ statusCode: status, body: text }) => {
            this.#events.plan(this.#delay(), `answers ${status} to ${label}`, process, () => {
              if (!isUnanswered) give({ status, text, from: process.name });
            });
          });
      });
    });
  }

  /** The way out of one process. */
  outboundOf(process: SimulatedProcess): OutboundHttp {
    let isClosed = false;
    return {
      sent: new SentRequests(),
      request: (request) => {
        if (isClosed) return Promise.reject(new OutboundError('aborted', 'this process is stopping'));
        return this.#send(process, request);
      },
      close: async () => {
        isClosed = true;
      },
    };
  }

  #send(process: SimulatedProcess, request: OutboundRequest): Promise<OutboundResponse> {
    const { dropped, unanswered, doubled } = this.faults;
    const isDropped = this.#random.chance(dropped);
    const isUnanswered = this.#random.chance(unanswered);
    const isDoubled = !request.freshConnection && this.#random.chance(doubled);
    const host = new URL(request.url).host;
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const abort = () => reject(new OutboundError('aborted', 'aborted', { sent: true }));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      const lose = (kind: 'connect' | 'timeout', afterMs: number, sent: boolean) =>
        this.#events.plan(afterMs, `finds no answer of ${host}`, process, () =>
          reject(new OutboundError(kind, 'simulated', { sent })),
        );
      if (isDropped) {
        lose(this.#random.chance(0.5) ? 'connect' : 'timeout', this.#delay(), false);
        return undefined;
      }
      // Once it is on its way, it arrives also when its sender dies.
      const arrive = () => {
        const { status, body } = this.#receivers.get(host)?.(request) ?? { status: 404, body: '' };
        this.#events.note(`${host} answers ${status} to ${process.name}`);
        return { status, headers: {}, body: Buffer.from(body) };
      };
      if (isDoubled) this.#events.plan(this.#delay(), `a request arrives twice at ${host}`, null, arrive);
      this.#events.plan(this.#delay(), `a request arrives at ${host}`, null, () => {
        const response = arrive();
        if (isUnanswered) lose('timeout', this.#random.below(longestSilenceMs), true);
        else this.#events.plan(this.#delay(), `has the answer of ${host}`, process, () => resolve(response));
      });
      return undefined;
    });
  }

  #delay(): number {
    return this.#random.chance(this.faults.slow) ? this.#random.below(longestDelayMs) : 1 + this.#random.below(30);
  }
}

/** For an environment that asks nobody. */
export const nowhere: OutboundHttp = {
  sent: new SentRequests(),
  request: () => Promise.reject(new OutboundError('connect', 'there is no network')),
  close: async () => undefined,
};
