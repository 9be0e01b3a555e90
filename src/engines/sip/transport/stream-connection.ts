/** One TCP or TLS connection: frames what arrives, answers keep-alives, and closes what misbehaves. */
import type { Socket } from 'node:net';
import type { Timer, Timers } from '../timers.ts';
import { StreamFramer } from './stream-framer.ts';
import { type Flow, plainAddress, type Received, type Sent, type TransportName } from './wire.ts';

export interface ConnectionLimits {
  /** A message must be complete within this time of its first byte. */
  messageMs: number;
  /** A connection without traffic is closed after this time. */
  idleMs: number;
  /** Bytes that may wait for a peer that does not read. */
  unsentBytes: number;
  /** Pause between the keep-alives that this end sends on connections it opened; 0 for none. */
  pingMs: number;
  /** The peer must send something within this time of a keep-alive. */
  pongMs: number;
}

export const connectionLimits: ConnectionLimits = {
  messageMs: 10_000,
  idleMs: 600_000,
  unsentBytes: 1_048_576,
  pingMs: 90_000,
  pongMs: 10_000,
};

const ping = Buffer.from('\r\n\r\n');
const pong = Buffer.from('\r\n');

export class StreamConnection {
  readonly id: number;
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  readonly #timers: Timers;
  readonly #framer: StreamFramer;
  #flow: Flow;
  #lastTraffic: number;
  #lastReceived: number;
  #messageStart: number | null = null;
  #watch: Timer | null = null;
  readonly #pings: boolean;

  constructor(
    id: number,
    socket: Socket,
    options: { transport: TransportName; opened: boolean; remote: { address: string; port: number } },
    limits: ConnectionLimits,
    timers: Timers,
    received: Received,
  ) {
    this.id = id;
    this.#socket = socket;
    this.#limits = limits;
    this.#timers = timers;
    this.#pings = options.opened && limits.pingMs > 0;
    this.#lastTraffic = timers.now();
    this.#lastReceived = timers.now();
    const address = plainAddress(options.remote.address);
    this.#flow = { transport: options.transport, address, port: options.remote.port, connection: id };
    this.#framer = new StreamFramer({
      message: (bytes) => received(bytes, this.#flow),
      ping: () => this.#socket.write(pong),
    });
    socket.setNoDelay(true);
    // The only error listener: what is being sent learns of it from its own callback, and `close` follows.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => this.#data(chunk));
    socket.on('close', () => this.#watch?.close());
    this.#scheduleWatch();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(bytes: Buffer, sent: Sent): void {
    this.#lastTraffic = this.#timers.now();
    if (this.#socket.writableLength > this.#limits.unsentBytes) {
      this.#socket.destroy(new Error('the peer does not read'));
    }
    // What ended the connection says more than that it has ended.
    this.#socket.write(bytes, (error) => sent(error ? (this.#socket.errored ?? error) : null));
  }

  close(): void {
    this.#socket.destroy();
  }

  #data(chunk: Buffer): void {
    this.#lastTraffic = this.#timers.now();
    this.#lastReceived = this.#lastTraffic;
    try {
      this.#framer.push(chunk);
    } catch {
      // Whatever follows cannot be told from the damaged message.
      this.#socket.destroy();
    }
    this.#messageStart = this.#framer.isWithinMessage ? (this.#messageStart ?? this.#lastReceived) : null;
  }

  #scheduleWatch(): void {
    const { idleMs, messageMs, pingMs } = this.#limits;
    const pause = Math.min(idleMs, messageMs, this.#pings ? pingMs : Number.POSITIVE_INFINITY);
    this.#watch = this.#timers.after(pause, watchConnection, this);
  }

  /** One timer per connection checks all of its limits. */
  watch(): void {
    if (this.#socket.destroyed) return;
    const now = this.#timers.now();
    const { idleMs, messageMs, pingMs, pongMs } = this.#limits;
    const stuck = this.#messageStart !== null && now - this.#messageStart >= messageMs;
    if (stuck || now - this.#lastTraffic >= idleMs) return void this.#socket.destroy();
    this.#scheduleWatch();
    if (!this.#pings || now - this.#lastReceived < pingMs) return;
    this.#socket.write(ping);
    this.#timers.after(pongMs, closeIfSilent, { connection: this, since: now });
  }

  closeIfSilentSince(time: number): void {
    if (this.#lastReceived < time) this.#socket.destroy();
  }
}

function watchConnection(connection: StreamConnection): void {
  connection.watch();
}

function closeIfSilent({ connection, since }: { connection: StreamConnection; since: number }): void {
  connection.closeIfSilentSince(since);
}
