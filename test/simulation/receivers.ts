/**
 * The receivers of the customers' callbacks and call events. They fail and are away when the seed says so, and keep
 * what arrived: each callback at least once if its receiver ever answers, and always with the same body.
 */
import type { OutboundRequest } from '../../src/engines/outbound/outbound-request.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Network } from './network.ts';

interface ReceiverFaults {
  /** Of one request: the receiver says 500, although it has kept what came. */
  readonly refused: number;
}

interface TrunkChange {
  readonly status: string;
  readonly created_at: string;
}

export class Receivers {
  readonly #random: SeededRandom;
  faults: ReceiverFaults = { refused: 0 };
  /** By the id of the callback. */
  readonly #bodies = new Map<string, string>();
  /** Order → statuses, as they came. */
  readonly orders = new Map<string, Set<string>>();
  /** Trunk → its changes, as they came first. */
  readonly trunks = new Map<string, TrunkChange[]>();
  /** Call → types of its events, as they came first. */
  readonly calls = new Map<string, string[]>();
  readonly offences: string[] = [];
  received = 0;

  constructor(random: SeededRandom, network: Network, customers: readonly string[]) {
    this.#random = random;
    for (const customer of customers) network.receive(`${customer}.test`, (request) => this.#receive(request));
  }

  #receive(request: OutboundRequest): { status: number; body: string } {
    this.received += 1;
    const { pathname } = new URL(request.url);
    const body = request.body === undefined ? '' : request.body.toString();
    if (pathname === '/events') this.#keepEvents(body);
    else this.#keepCallback(pathname, request.headers?.['webhook-id'] ?? '', body);
    return this.#random.chance(this.faults.refused) ? { status: 500, body: 'simulated' } : { status: 200, body: '' };
  }

  #keepCallback(pathname: string, id: string, body: string): void {
    const former = this.#bodies.get(id);
    if (former !== undefined && former !== body) {
      this.offences.push(`the body of callback ${id} changed from ${former} to ${body}`);
    }
    if (former !== undefined) return;
    this.#bodies.set(id, body);
    if (pathname === '/orders') {
      const { id: order = '', status = '' } = Object.fromEntries(new URLSearchParams(body));
      this.orders.set(order, (this.orders.get(order) ?? new Set()).add(status));
      return;
    }
    // What this receiver seemed not to have taken comes again with the next change.
    for (const { id: trunk, status, created_at } of JSON.parse(body) as (TrunkChange & { id: string })[]) {
      const changes = this.trunks.get(trunk) ?? [];
      if (changes.some((known) => known.created_at === created_at)) continue;
      this.trunks.set(trunk, [...changes, { status, created_at }]);
    }
  }

  #keepEvents(body: string): void {
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    const known = this.calls.get(id) ?? [];
    if (!known.includes(type)) this.calls.set(id, [...known, type]);
  }
}
