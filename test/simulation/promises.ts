/** What customers, receivers and callers were told, held against the database once everything has come to rest. */
import type { Callers } from './callers.ts';
import type { Shopper } from './customers.ts';
import { Fault } from './invariants.ts';
import type { Observer } from './observer.ts';
import type { Receivers } from './receivers.ts';

const order = ['incoming-call-start-event', 'incoming-call-connect-event', 'incoming-call-end-event'];

export class Promises {
  readonly #observer: Observer;
  readonly #receivers: Receivers;
  readonly #shoppers: readonly Shopper[];
  readonly #callers: Callers;

  constructor(observer: Observer, receivers: Receivers, shoppers: readonly Shopper[], callers: Callers) {
    this.#observer = observer;
    this.#receivers = receivers;
    this.#shoppers = shoppers;
    this.#callers = callers;
  }

  async check(): Promise<void> {
    const [offence] = this.#receivers.offences;
    if (offence !== undefined) throw new Fault('the body of a callback never changes', offence);
    await this.#checkOrders();
    await this.#checkTrunks();
    await this.#checkCalls();
  }

  async #checkOrders(): Promise<void> {
    const rows = await this.#observer.rows<{ id: string; status: string; callback_url: string | null }>(
      'select id, status, callback_url from orders',
    );
    const stored = new Map(rows.map(({ id, status }) => [id, status]));
    for (const { promised } of this.#shoppers) {
      for (const id of promised.orders) if (!stored.has(id)) throw new Fault('an accepted order is there', { id });
      for (const id of promised.canceled) {
        if (stored.get(id) !== 'canceled') throw new Fault('a canceled order stays so', { id, status: stored.get(id) });
      }
    }
    const given = await this.#observer.rows<{ resource_id: string }>(
      `select resource_id from deliveries where status in ('failed', 'dropped', 'pending')`,
    );
    const open = new Set(given.map(({ resource_id }) => resource_id));
    for (const { id, status, callback_url } of rows) {
      const told = this.#receivers.orders.get(id);
      if (told !== undefined && (told.size > 1 || !told.has(status))) {
        throw new Fault('what a callback tells of an order is so', { id, status, told: [...told] });
      }
      if (callback_url !== null && status !== 'pending' && told === undefined && !open.has(id)) {
        throw new Fault('every end of an order is told', { id, status });
      }
    }
  }

  /** Each change once and in order; what has not been taken yet may be missing at the end. */
  async #checkTrunks(): Promise<void> {
    const seen = await this.#observer.rows<{ trunk_id: string; status: string }>(
      'select trunk_id, status from seen_trunk_changes order by id',
    );
    const pending = await this.#observer.rows<{ resource_id: string }>(
      `select resource_id from deliveries where kind = 'voice_out_trunks' and status in ('pending', 'failed')`,
    );
    const open = new Set(pending.map(({ resource_id }) => resource_id));
    for (const [trunk, changes] of Map.groupBy(seen, ({ trunk_id }) => trunk_id)) {
      const told = (this.#receivers.trunks.get(trunk) ?? []).map(({ status }) => status);
      const happened = changes.map(({ status }) => status);
      const isWhole = told.length === happened.length || (open.has(trunk) && told.length < happened.length);
      if (!isWhole || told.some((status, index) => status !== happened[index])) {
        throw new Fault('each change of a trunk is told once and in order', { trunk, happened, told });
      }
    }
  }

  async #checkCalls(): Promise<void> {
    const callers = this.#callers;
    const rows = await this.#observer.rows<{ call_id: string; time_connect: Date | null; time_end: Date }>(
      'select call_id, time_connect, time_end from cdrs_in where is_last and account_id is not null',
    );
    const ended = new Map(rows.map((row) => [row.call_id, row]));
    const open = await this.#observer.rows<{ id: string }>('select id from open_calls');
    for (const { id } of open) {
      if (!callers.up.has(id)) throw new Fault('channels are held by calls that are up', { id });
    }
    for (const [id, carrier] of callers.up) {
      const last = ended.get(id)?.time_end.getTime() ?? 0;
      const isOwnEnd = carrier.diedAt !== null && !callers.endedElsewhere.has(id);
      if (isOwnEnd && last > (carrier.diedAt ?? last)) {
        throw new Fault('no call outlives the process that carries it', { id, last, diedAt: carrier.diedAt });
      }
      if (!carrier.isDead && ended.has(id)) throw new Fault('a call that has ended is not up', { id });
    }
    for (const id of callers.answered) {
      if (ended.get(id)?.time_connect === null) throw new Fault('an answered call has its answer in the CDR', { id });
    }
    const waiting = await this.#observer.rows<{ call_id: string }>(
      'select distinct call_id from call_events where due_at is not null',
    );
    const undelivered = new Set(waiting.map(({ call_id }) => call_id));
    for (const [id, types] of this.#receivers.calls) {
      const places = types.map((type) => order.indexOf(type));
      if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))) {
        throw new Fault('events of a call come in order', { id, types });
      }
    }
    for (const id of ended.keys()) {
      const types = this.#receivers.calls.get(id) ?? [];
      if (callers.opened.has(id) && !undelivered.has(id) && !types.includes('incoming-call-end-event')) {
        throw new Fault('the end of every call is told', { id, types });
      }
    }
  }
}
