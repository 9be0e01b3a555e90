/** A call of the embedded engine, as the call engine sees it: its thread does the work. */
import type { CallQuality, LegSettings, MediaCall, MediaLeg, MediaUser } from '../media-engine.ts';
import { alone } from './outbox.ts';
import type { RelayThread } from './relay-thread.ts';

interface EmbeddedCallOptions {
  number: number;
  thread: RelayThread;
  user: MediaUser;
  closed: (call: EmbeddedCall) => void;
}

interface Leg extends MediaLeg {
  readonly number: number;
}

const nothing: CallQuality = { legs: [] };

export class EmbeddedCall implements MediaCall {
  readonly number: number;
  readonly thread: RelayThread;
  readonly #options: EmbeddedCallOptions;
  readonly #legs: Leg[] = [];
  #eventLegs: ReadonlySet<number> = new Set();
  #closing: Promise<CallQuality> | null = null;

  constructor(options: EmbeddedCallOptions) {
    this.#options = options;
    this.number = options.number;
    this.thread = options.thread;
  }

  leg(name: string, settings: LegSettings): MediaLeg {
    const number = this.#legs.length;
    const leg = { name, number, press: (key: string, durationMs: number) => this.#press(number, key, durationMs) };
    this.#legs.push(leg);
    this.#send({ kind: 'leg', leg: number, name, settings });
    return leg;
  }

  offer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    return this.#describe('offer', from, to, sdp);
  }

  answer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    return this.#describe('answer', from, to, sdp);
  }

  refused(from: MediaLeg, to: MediaLeg): void {
    this.#send({ kind: 'refused', from: this.#numberOf(from), to: this.#numberOf(to) });
  }

  drop(leg: MediaLeg): void {
    this.#send({ kind: 'drop', leg: this.#numberOf(leg) });
  }

  quality(): Promise<CallQuality> {
    return this.#closing ?? this.#figures('quality');
  }

  close(): Promise<CallQuality> {
    this.#closing ??= this.#figures('close').finally(() => this.#options.closed(this));
    return this.#closing;
  }

  /** Events of the thread. */
  silent(leg: number): void {
    const found = this.#legs[leg];
    if (found !== undefined) this.#options.user.silent(found);
  }

  keyPressed(leg: number, key: string, durationMs: number): void {
    const found = this.#legs[leg];
    if (found !== undefined) this.#options.user.keyPress(found, key, durationMs);
  }

  died(reason: string): void {
    if (this.#closing === null) this.#options.user.died(reason);
  }

  async #describe(act: 'offer' | 'answer', from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    const { sdp: told, eventLegs } = await this.thread.describe({
      kind: 'describe',
      call: this.number,
      act,
      from: this.#numberOf(from),
      to: this.#numberOf(to),
      sdp: alone(sdp),
    });
    this.#eventLegs = new Set(eventLegs);
    return Buffer.from(told.buffer, told.byteOffset, told.byteLength);
  }

  /** What an engine that died could not tell is missing. */
  #figures(kind: 'quality' | 'close'): Promise<CallQuality> {
    return this.thread.figures({ kind, call: this.number }).catch(() => nothing);
  }

  #press(leg: number, key: string, durationMs: number): boolean {
    if (this.#closing !== null || !this.#eventLegs.has(leg)) return false;
    this.#send({ kind: 'press', leg, key, durationMs });
    return true;
  }

  #send(message: WithoutCall): void {
    if (!this.thread.hasEnded) this.thread.send({ ...message, call: this.number });
  }

  #numberOf(leg: MediaLeg): number {
    const found = this.#legs.find((own) => own === leg);
    if (found === undefined) throw new Error('the party belongs to another call');
    return found.number;
  }
}

type Sent = Parameters<RelayThread['send']>[0];
type WithoutCall = Sent extends infer Each ? (Each extends { call: number } ? Omit<Each, 'call'> : never) : never;
