/**
 * A network in one thread on simulated time. Datagrams are lost, doubled and overtake each other as a seed decides;
 * streams deliver everything in order. Whole messages are passed on: framing is tested with real sockets.
 */
import type { Timers } from '../timers.ts';
import {
  type Flow,
  familyOf,
  type Received,
  type Sent,
  type Target,
  type TransportName,
  type Wire,
} from '../transport/wire.ts';
import type { SeededRandom } from './seeded-random.fixture.ts';

export interface Conditions {
  /** Probabilities of a datagram to be lost and to arrive twice. */
  loss: number;
  duplicates: number;
  /** Each datagram travels for a random time between these, so later ones can arrive earlier. */
  delayMs: readonly [least: number, most: number];
}

const perfectConditions: Conditions = { loss: 0, duplicates: 0, delayMs: [1, 1] };

interface Listener {
  received: Received;
  transport: TransportName;
  address: string;
  port: number;
}

interface Connection {
  id: number;
  ends: readonly [Listener, Listener];
  /** When the last message of each direction arrives; the next one arrives later. */
  busyUntil: [number, number];
}

interface Delivery {
  listener: Listener;
  bytes: Buffer;
  flow: Flow;
}

export class SimulatedNetwork {
  readonly #timers: Timers;
  readonly #random: SeededRandom;
  readonly #conditions: Conditions;
  readonly #listeners = new Map<string, Listener>();
  readonly #connections: Connection[] = [];
  readonly #unreachable = new Set<string>();
  readonly counts = { sent: 0, lost: 0, duplicated: 0, delivered: 0 };

  constructor(timers: Timers, random: SeededRandom, conditions: Conditions = perfectConditions) {
    this.#timers = timers;
    this.#random = random;
    this.#conditions = conditions;
  }

  listen(transport: TransportName, address: string, port: number, received: Received): Wire {
    const listener: Listener = { received, transport, address, port };
    const key = keyOf(listener);
    this.#listeners.set(key, listener);
    return {
      transport,
      family: familyOf(address),
      port,
      send: (bytes, target, sent) => this.#send(listener, bytes, target, sent),
      close: async () => void this.#listeners.delete(key),
    };
  }

  /** From now on nothing reaches or leaves this address, as if its machine had lost power. */
  silence(address: string): void {
    this.#unreachable.add(address);
  }

  #send(from: Listener, bytes: Buffer, target: Target, sent: Sent): void {
    this.counts.sent++;
    if (this.#unreachable.has(from.address)) return;
    if (from.transport === 'UDP') {
      this.#sendDatagram(from, bytes, target);
      return void this.#report(sent, null);
    }
    const connection = this.#connectionFor(from, target);
    if (!connection) return void this.#report(sent, new Error('connection refused'));
    const direction = connection.ends[0] === from ? 0 : 1;
    const arrives = Math.max(this.#timers.now() + this.#delay(), connection.busyUntil[direction]);
    connection.busyUntil[direction] = arrives;
    this.#deliver(connection.ends[direction === 0 ? 1 : 0], from, bytes, arrives - this.#timers.now(), connection.id);
    this.#report(sent, null);
  }

  #sendDatagram(from: Listener, bytes: Buffer, target: Target): void {
    const listener = this.#listeners.get(keyOf(target));
    if (!listener || this.#unreachable.has(target.address) || this.#random.chance(this.#conditions.loss)) {
      this.counts.lost++;
      return;
    }
    this.#deliver(listener, from, bytes, this.#delay(), 0);
    if (!this.#random.chance(this.#conditions.duplicates)) return;
    this.counts.duplicated++;
    this.#deliver(listener, from, bytes, this.#delay(), 0);
  }

  #connectionFor(from: Listener, target: Target): Connection | undefined {
    const named = this.#connections.find(({ id, ends }) => id === target.connection && ends.includes(from));
    if (named) return named;
    const to = this.#listeners.get(keyOf(target));
    if (!to || this.#unreachable.has(target.address)) return undefined;
    const open = this.#connections.find(({ ends }) => ends.includes(from) && ends.includes(to));
    if (open) return open;
    const connection: Connection = { id: this.#connections.length + 1, ends: [from, to], busyUntil: [0, 0] };
    this.#connections.push(connection);
    return connection;
  }

  #deliver(listener: Listener, from: Listener, bytes: Buffer, delay: number, connection: number): void {
    const flow: Flow = { transport: from.transport, address: from.address, port: from.port, connection };
    this.#timers.after(delay, arrive, { network: this, delivery: { listener, bytes, flow } });
  }

  /** What was under way to an address that has been silenced is lost. */
  complete({ listener, bytes, flow }: Delivery): void {
    if (this.#unreachable.has(listener.address)) return;
    this.counts.delivered++;
    listener.received(bytes, flow);
  }

  #delay(): number {
    const [least, most] = this.#conditions.delayMs;
    return least + this.#random.next() * (most - least);
  }

  #report(sent: Sent, error: Error | null): void {
    this.#timers.after(0, sent, error);
  }
}

function arrive({ network, delivery }: { network: SimulatedNetwork; delivery: Delivery }): void {
  network.complete(delivery);
}

function keyOf({ transport, address, port }: { transport: TransportName; address: string; port: number }): string {
  return `${transport} ${address} ${port}`;
}
