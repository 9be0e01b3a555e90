/** One WebSocket of a client: one message a frame, keep-alives, and an end for what misbehaves or is not used. */
import { isUtf8 } from 'node:buffer';
import type { RawData, WebSocket } from 'ws';
import { afterEmptyLines } from '../message/parse.ts';
import type { Timer, Timers } from '../timers.ts';
import { type Rate, TokenBucket } from '../token-bucket.ts';
import type { Flow, Peer, Received, Sent } from './wire.ts';

export interface WebSocketLimits {
  /** Connections in all, and of clients of one address. */
  connections: number;
  perAddress: number;
  /** Frames that a client may send. */
  rate: Rate;
  /** Bytes that may wait for a client that does not read. */
  unsentBytes: number;
  /** Pause between the pings of this end, and the time that the client has for its answer. */
  pingMs: number;
  pongMs: number;
  /** A client that has not proven who it is within this time is disconnected. */
  unprovenMs: number;
  /** So is one that was proven, is no longer registered, and has sent no message for this time. */
  idleMs: number;
}

export const webSocketLimits: WebSocketLimits = {
  connections: 10_000,
  perAddress: 100,
  rate: { perSecond: 50, burst: 200 },
  unsentBytes: 1_048_576,
  pingMs: 30_000,
  pongMs: 10_000,
  unprovenMs: 30_000,
  idleMs: 600_000,
};

/** Close codes of RFC 6455 7.4.1, and the sentences that a developer finds in the browser's console. */
const closings = {
  goingAway: [1001, 'The server is stopping'],
  unproven: [1008, 'Register or call within 30 seconds of connecting'],
  tooFast: [1008, 'Too many messages in a second'],
  idle: [1000, 'Not registered, and no message for ten minutes'],
  signedOut: [1008, 'Signed out of the panel'],
} as const;

const answerToKeepAlive = '\r\n';

interface ConnectionParts {
  socket: WebSocket;
  flow: Flow;
  limits: WebSocketLimits;
  timers: Timers;
  received: Received;
}

export class WebSocketConnection {
  readonly flow: Flow;
  readonly #socket: WebSocket;
  readonly #limits: WebSocketLimits;
  readonly #timers: Timers;
  readonly #bucket: TokenBucket;
  #watch: Timer;
  #lastFrame: number;
  #lastMessage: number;
  #isProven = false;
  #registeredUntil = Number.NEGATIVE_INFINITY;

  constructor({ socket, flow, limits, timers, received }: ConnectionParts) {
    this.flow = flow;
    this.#socket = socket;
    this.#limits = limits;
    this.#timers = timers;
    this.#bucket = new TokenBucket(limits.rate, timers);
    this.#lastFrame = timers.now();
    this.#lastMessage = this.#lastFrame;
    // What is wrong with a frame ends the connection, and `close` follows.
    socket.on('error', () => undefined);
    socket.on('pong', () => this.#heard());
    socket.on('ping', () => this.#heard());
    socket.on('message', (data) => this.#frame(bytesOf(data), received));
    socket.on('close', () => this.#watch.close());
    this.#watch = this.#timers.after(limits.unprovenMs, watchConnection, this);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether a request for this peer may go by this connection: numbers begin anew with every process. */
  isOf({ transport, address, port }: Peer): boolean {
    return transport === this.flow.transport && address === this.flow.address && port === this.flow.port;
  }

  send(bytes: Buffer, sent: Sent): void {
    if (this.#socket.bufferedAmount > this.#limits.unsentBytes) this.#socket.terminate();
    // RFC 7118 8.1: text, unless the message is none.
    const isText = isUtf8(bytes);
    this.#socket.send(isText ? bytes.toString('utf8') : bytes, { binary: !isText }, (error) => sent(error ?? null));
  }

  /** Its client has shown a right password. `ms`: how long a registration lasts. */
  proven(ms = 0): void {
    this.#isProven = true;
    this.#registeredUntil = Math.max(this.#registeredUntil, this.#timers.now() + ms);
  }

  /** Resolves when the client has agreed, or has been cut off because it did not. */
  close(why: keyof typeof closings): Promise<void> {
    const [code, reason] = closings[why];
    this.#socket.close(code, reason);
    const timer = this.#timers.after(this.#limits.pongMs, terminate, this.#socket);
    return new Promise((resolve) => {
      this.#socket.once('close', () => {
        timer.close();
        resolve();
      });
    });
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** One timer per connection: is the client there, has it said who it is, and is it still used? */
  watch(): void {
    if (!this.isOpen) return;
    const now = this.#timers.now();
    const { pingMs, pongMs, idleMs } = this.#limits;
    if (!this.#isProven) return void this.close('unproven');
    if (now > this.#registeredUntil && now - this.#lastMessage >= idleMs) return void this.close('idle');
    this.#watch = this.#timers.after(pingMs, watchConnection, this);
    this.#socket.ping();
    this.#timers.after(pongMs, closeIfSilent, { connection: this, since: now });
  }

  closeIfSilentSince(time: number): void {
    if (this.#lastFrame < time) this.#socket.terminate();
  }

  #heard(): void {
    this.#lastFrame = this.#timers.now();
  }

  #frame(bytes: Buffer, received: Received): void {
    this.#heard();
    if (!this.isOpen) return;
    if (!this.#bucket.take()) return void this.close('tooFast');
    if (afterEmptyLines(bytes) < bytes.length) {
      this.#lastMessage = this.#lastFrame;
      return void received(bytes, this.flow);
    }
    // RFC 5626 3.5.1: two empty lines ask for one.
    if (bytes.length >= 4) this.#socket.send(answerToKeepAlive);
  }
}

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);

function watchConnection(connection: WebSocketConnection): void {
  connection.watch();
}

function closeIfSilent({ connection, since }: { connection: WebSocketConnection; since: number }): void {
  connection.closeIfSilentSince(since);
}

function terminate(socket: WebSocket): void {
  socket.terminate();
}
