/**
 * The control port of one rtpengine: commands over UDP, repeated with the same cookie until they are answered, and
 * `ping` from time to time, which tells whether it is there.
 */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Timer, Timers } from '../../sip/timers.ts';
import { type Answer, dictionaryOf, textOf } from './answers.ts';
import { type Bencoded, bdecode, bencode } from './bencode.ts';

export interface RtpengineHost {
  readonly host: string;
  readonly port: number;
}

/** No answer came, or nobody listens there. */
export class Unanswered extends Error {}

/** Pauses before the command is sent again; after the last one it counts as unanswered. */
const pausesMs = [200, 400, 600, 800];
const pingMs = 2_000;
/** A host that is silent so long has lost its calls: a short trouble of the network ends none. */
const deadMs = 10_000;

interface Pending {
  readonly bytes: Buffer;
  readonly settle: (result: Answer | Unanswered) => void;
  repeats: number;
  timer: Timer | null;
}

export class Control {
  readonly name: string;
  /** Why the host takes no new calls; null if it does. */
  problem: string | null = 'has not answered yet';
  readonly #host: RtpengineHost;
  readonly #timers: Timers;
  readonly #died: (reason: string) => void;
  readonly #prefix = randomBytes(6).toString('hex');
  readonly #pending = new Map<string, Pending>();
  #socket: Socket | null = null;
  #isConnected = false;
  #count = 0;
  #heardMs: number;
  #isDead = false;
  #isStopped = false;
  #nextPing: Timer | null = null;

  /** `died` is called when all that the host carried must be given up. */
  constructor(host: RtpengineHost, timers: Timers, died: (reason: string) => void) {
    this.#host = host;
    this.#timers = timers;
    this.#died = died;
    this.#heardMs = timers.now();
    this.name = isIPv6(host.host) ? `[${host.host}]:${host.port}` : `${host.host}:${host.port}`;
  }

  get isUp(): boolean {
    return this.problem === null;
  }

  /** Asks whether the host is there, and goes on asking. Resolves after the first answer, or without one. */
  async watch(): Promise<void> {
    if (this.#isStopped) return;
    try {
      await this.request({ command: 'ping' });
      this.#isUpAgain();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      this.#isDown(error.message);
    }
    if (this.#isStopped) return;
    this.#nextPing = this.#timers.after(pingMs, () => void this.watch(), undefined);
  }

  /** Rejects with `Unanswered`. What rtpengine refuses is an answer whose `result` is `error`. */
  async request(command: { readonly [key: string]: Bencoded }): Promise<Answer> {
    const result = await new Promise<Answer | Unanswered>((settle) => {
      this.#count += 1;
      const cookie = `${this.#prefix}_${this.#count}`;
      this.#pending.set(cookie, {
        bytes: Buffer.from(`${cookie} ${bencode(command)}`, 'latin1'),
        settle,
        repeats: 0,
        timer: null,
      });
      this.#send(cookie);
    });
    if (result instanceof Unanswered) throw result;
    return result;
  }

  /** What waits for an answer is given up. */
  stop(): void {
    this.#isStopped = true;
    this.#nextPing?.close();
    this.#fail('was stopped');
    this.#socket?.close();
    this.#socket = null;
  }

  #send(cookie: string): void {
    const pending = this.#pending.get(cookie);
    if (pending === undefined) return;
    const pause = pausesMs[pending.repeats];
    if (pause === undefined || this.#isStopped) {
      this.#pending.delete(cookie);
      pending.settle(new Unanswered('does not answer'));
      return;
    }
    pending.repeats += 1;
    pending.timer = this.#timers.after(pause, (again) => this.#send(again), cookie);
    if (this.#socket === null) this.#open();
    else if (this.#isConnected) this.#socket.send(pending.bytes);
  }

  /** A connected socket takes datagrams of this host only, and hears at once that nobody listens. */
  #open(): void {
    const socket = createSocket(isIPv6(this.#host.host) ? 'udp6' : 'udp4');
    socket.on('message', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#broken(error));
    socket.on('connect', () => {
      this.#isConnected = true;
      for (const { bytes } of this.#pending.values()) socket.send(bytes);
    });
    this.#socket = socket;
    this.#isConnected = false;
    socket.connect(this.#host.port, this.#host.host);
  }

  /** The cookie is known to the two alone: a datagram without it is no answer. */
  #receive(bytes: Buffer): void {
    const space = bytes.indexOf(' ');
    const cookie = bytes.toString('latin1', 0, Math.max(0, Math.min(space, 64)));
    const pending = this.#pending.get(cookie);
    if (pending === undefined) return;
    try {
      const answer = dictionaryOf(bdecode(bytes.subarray(space + 1)));
      this.#pending.delete(cookie);
      pending.timer?.close();
      this.#heardMs = this.#timers.now();
      pending.settle(answer);
    } catch (error) {
      // The command is sent again, and answered or given up.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }

  /** The next command opens another socket, and looks the name up again. */
  #broken(error: Error): void {
    this.#socket?.close();
    this.#socket = null;
    const code = 'code' in error ? String(error.code) : error.message;
    // The program has ended, and its calls with it, whether or not another one is started.
    if (code === 'ECONNREFUSED') this.#heardMs = Number.NEGATIVE_INFINITY;
    this.#fail(code === 'ECONNREFUSED' ? 'does not run' : `cannot be reached (${code})`);
  }

  #fail(why: string): void {
    for (const [cookie, { settle, timer }] of this.#pending) {
      this.#pending.delete(cookie);
      timer?.close();
      settle(new Unanswered(why));
    }
  }

  #isUpAgain(): void {
    this.problem = null;
    this.#isDead = false;
  }

  #isDown(why: string): void {
    this.problem = why;
    if (this.#isDead || this.#timers.now() - this.#heardMs < deadMs) return;
    this.#isDead = true;
    this.#died(`rtpengine ${this.name} ${why}`);
  }
}

/** Whether rtpengine refused, and its reason. */
export function refusalOf(answer: Answer): string | null {
  const result = textOf(answer.result);
  if (result === 'ok' || result === 'pong') return null;
  return textOf(answer['error-reason']) || textOf(answer.message) || result || 'an answer without a result';
}
