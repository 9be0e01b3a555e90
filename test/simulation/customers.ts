/**
 * What customers do all day: order, reserve, cancel, terminate, restore, buy channels, block trunks. Each request may
 * be lost on either way; a customer who does not know what became of one asks again, with the same key. They remember
 * what they were told.
 */
import { parseAmount } from '../../src/business/money/decimal.ts';
import { fund } from '../../src/business/money/ledger.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import { Fault } from './invariants.ts';
import type { Answered, Network } from './network.ts';
import { type Customer, groupId, skuId } from './world.ts';

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** What a customer was told has happened. */
interface Promised {
  /** Orders that were accepted. */
  readonly orders: Set<string>;
  readonly canceled: Set<string>;
}

const mostTries = 12;
/** Codes with which a request may be answered that is right at one moment and wrong at another. */
const expected = new Set([200, 201, 204, 400, 404, 409, 422, 503]);

export class Shopper {
  readonly #customer: Customer;
  readonly #events: Events;
  readonly #random: SeededRandom;
  readonly #network: Network;
  readonly #fleet: Fleet;
  readonly promised: Promised = { orders: new Set(), canceled: new Set() };
  readonly counts: Record<string, number> = {};
  #made = 0;
  #trunk: string | null = null;
  isPaused = false;
  /** Between two acts. */
  isIdle = true;
  paceMs = 1_000;

  constructor(customer: Customer, events: Events, random: SeededRandom, network: Network, fleet: Fleet) {
    this.#customer = customer;
    this.#events = events;
    this.#random = random;
    this.#network = network;
    this.#fleet = fleet;
  }

  /** For ever. */
  async live(): Promise<never> {
    for (;;) {
      await this.#pause(this.#random.below(2 * this.paceMs));
      if (this.isPaused) continue;
      this.isIdle = false;
      await this.#act();
      this.isIdle = true;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#events.plan(ms, `${this.#customer.name} goes on`, null, resolve);
    });
  }

  async #act(): Promise<void> {
    const acts: readonly [number, string, () => Promise<unknown>][] = [
      [6, 'order', () => this.#order()],
      [3, 'reserve', () => this.#reserve()],
      [2, 'cancel', () => this.#cancel()],
      [4, 'change a number', () => this.#changeNumber()],
      [1, 'channels', () => this.#buyChannels()],
      [3, 'trunk', () => this.#blockTrunk()],
      [1, 'pay', async () => this.#pay()],
    ];
    let drawn = this.#random.below(acts.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, name, act] of acts) {
      drawn -= weight;
      if (drawn >= 0) continue;
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      await act();
      return;
    }
  }

  async #order(): Promise<void> {
    await this.#placeOrder({ sku_id: skuId, qty: 1 + this.#random.below(3) }, this.#random.chance(0.5));
  }

  async #placeOrder(item: object, allowBackOrdering: boolean): Promise<void> {
    const once = `once ${this.#customer.name} ${++this.#made}`;
    const withCycles = this.#random.chance(0.3) ? { billing_cycles_count: this.#random.below(3) } : {};
    const answer = await this.#persist({
      method: 'POST',
      path: '/v3/orders',
      headers: { 'idempotency-key': once },
      body: {
        data: {
          type: 'orders',
          attributes: {
            items: [{ type: 'did_order_items', attributes: { ...item, ...withCycles } }],
            allow_back_ordering: allowBackOrdering,
            external_reference_id: once,
            ...(this.#random.chance(0.6)
              ? { callback_url: `http://${this.#customer.name}.test/orders`, callback_method: 'post' }
              : {}),
          },
        },
      },
    });
    if (answer?.status === 201) this.promised.orders.add(this.#dataOf(answer).id);
  }

  async #reserve(): Promise<void> {
    const free = await this.#list(`/v3/available_dids?filter[did_group.id]=${groupId}&page[size]=20`);
    const chosen = free[this.#random.below(Math.max(1, free.length))];
    if (chosen === undefined) return;
    const answer = await this.#persist({
      method: 'POST',
      path: '/v3/did_reservations',
      body: {
        data: {
          type: 'did_reservations',
          relationships: { available_did: { data: { type: 'available_dids', id: chosen.id } } },
        },
      },
    });
    if (answer?.status !== 201) return;
    const { id } = this.#dataOf(answer);
    const next = this.#random.below(3);
    if (next === 0) await this.#placeOrder({ sku_id: skuId, did_reservation_id: id, qty: 1 }, true);
    if (next === 1) await this.#persist({ method: 'DELETE', path: `/v3/did_reservations/${id}` });
  }

  async #cancel(): Promise<void> {
    const pending = await this.#list('/v3/orders?filter[status]=pending');
    const chosen = pending[this.#random.below(Math.max(1, pending.length))];
    if (chosen === undefined) return;
    const answer = await this.#persist({ method: 'DELETE', path: `/v3/orders/${chosen.id}` });
    if (answer?.status === 204) this.promised.canceled.add(chosen.id);
  }

  async #changeNumber(): Promise<void> {
    const own = await this.#list('/v3/dids?page[size]=100');
    const chosen = own[this.#random.below(Math.max(1, own.length))];
    if (chosen === undefined) return;
    const { id } = chosen;
    const attributes = this.#random.pick([
      { terminated: true },
      { terminated: false },
      { billing_cycles_count: 1 },
      { dedicated_channels_count: this.#random.below(3) },
    ]);
    const relationships = {
      voice_in_trunk: { data: { type: 'voice_in_trunks', id: this.#customer.trunkId } },
      ...('dedicated_channels_count' in attributes
        ? { capacity_pool: { data: { type: 'capacity_pools', id: this.#customer.poolId } } }
        : {}),
    };
    await this.#persist({
      method: 'PATCH',
      path: `/v3/dids/${id}`,
      body: { data: { id, type: 'dids', attributes, relationships } },
    });
  }

  async #buyChannels(): Promise<void> {
    const once = `once ${this.#customer.name} ${++this.#made}`;
    const item = { capacity_pool_id: this.#customer.poolId, qty: 1 + this.#random.below(2) };
    await this.#persist({
      method: 'POST',
      path: '/v3/orders',
      headers: { 'idempotency-key': once },
      body: {
        data: {
          type: 'orders',
          attributes: {
            items: [{ type: 'capacity_order_items', attributes: item }],
            external_reference_id: once,
          },
        },
      },
    });
  }

  /** Blocks or opens an outbound trunk, which is reported to its callback. */
  async #blockTrunk(): Promise<void> {
    if (this.#trunk === null) {
      const answer = await this.#persist({
        method: 'POST',
        path: '/v3/voice_out_trunks',
        headers: { 'idempotency-key': `trunk of ${this.#customer.name}` },
        body: {
          data: {
            type: 'voice_out_trunks',
            attributes: {
              name: 'simulated',
              authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['198.51.100.7'] } },
              callback_url: `http://${this.#customer.name}.test/trunks`,
              on_cli_mismatch_action: 'reject_call',
            },
          },
        },
      });
      if (answer === null || answer.status === 503) return;
      if (answer.status !== 201) throw new Error(`no trunk: ${answer.text}`);
      this.#trunk = this.#dataOf(answer).id;
    }
    // Not asked again: a change that was made twice is two changes.
    for (const status of ['blocked', 'active'].slice(this.#random.below(2))) {
      const body = { data: { id: this.#trunk, type: 'voice_out_trunks', attributes: { status } } };
      await this.#send({ method: 'PATCH', path: `/v3/voice_out_trunks/${this.#trunk}`, body });
    }
  }

  /** As an operator books it. Nobody waits for it, and the same payment is booked once. */
  #pay(): void {
    const [process] = this.#fleet.ready;
    const env = process?.started?.env;
    if (process === undefined || env === undefined) return;
    const reference = `payment ${this.#customer.name} ${++this.#made}`;
    const movement = { accountId: this.#customer.accountId, at: env.clock.now(), cause: 'top_up', reference } as const;
    void process.run(() => fund(env.db, movement, parseAmount('30'))).catch(() => undefined);
  }

  async #list(path: string): Promise<readonly Resource[]> {
    const answer = await this.#send({ method: 'GET', path });
    if (answer?.status !== 200) return [];
    const { data } = JSON.parse(answer.text) as { data: Resource[] };
    return data;
  }

  #dataOf = ({ text }: { text: string }): Resource => (JSON.parse(text) as { data: Resource }).data;

  /** Asks until somebody says what became of it. */
  async #persist(sent: Sent): Promise<Answered> {
    let answer: Answered = null;
    for (let tries = 0; tries < mostTries; tries++) {
      answer = await this.#send(sent);
      if (answer !== null && answer.status !== 503) return answer;
      await this.#pause(500 + this.#random.below(3_000));
    }
    return answer;
  }

  async #send(sent: Sent): Promise<Answered> {
    const { ready } = this.#fleet;
    if (ready.length === 0) return null;
    const answer = await this.#network.ask(this.#random.pick(ready), {
      ...sent,
      headers: { 'api-key': this.#customer.key, accept: 'application/vnd.api+json', ...sent.headers },
    });
    if (answer !== null && !expected.has(answer.status)) {
      throw new Fault(
        'every request has a documented answer',
        `${sent.method} ${sent.path}: ${answer.status} ${answer.text}`,
      );
    }
    return answer;
  }
}
