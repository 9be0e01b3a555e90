/**
 * What a room keeps with a request. It is used like a WeakMap, but the value is a property of the request: every
 * request has several of them, and entries of weak maps cost much more to make and to collect.
 */
import type { FastifyRequest } from 'fastify';

interface WithSlots {
  [slot: symbol]: unknown;
}

export class RequestSlot<T> {
  readonly #slot: symbol;

  constructor(name: string) {
    this.#slot = Symbol(name);
  }

  get(request: FastifyRequest): T | undefined {
    return (request as FastifyRequest & WithSlots)[this.#slot] as T | undefined;
  }

  set(request: FastifyRequest, value: T): void {
    (request as FastifyRequest & WithSlots)[this.#slot] = value;
  }
}

/**
 * Takes the account, or `operators`, that the caller has proven to be of; the server then knows whose turns it takes.
 */
export const proven = new RequestSlot<(name: string) => void>('proven');

/** The bytes of a request's body, kept by the room that has read them: a sandbox shows them to tests. */
export const bodyBytes = new RequestSlot<Buffer>('body');
