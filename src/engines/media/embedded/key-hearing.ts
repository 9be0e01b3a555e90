/**
 * Key presses in a stream (RFC 4733): each is told once, although its packets are many and its end is sent three times;
 * also if all three are lost.
 */
import { readTelephoneEvent } from '../../speech/telephone-event.ts';
import { PacketLimit } from './packet-limit.ts';

type Pressed = (key: string, durationMs: number) => void;

/** Nobody presses more keys a second; a flood of them is a message elsewhere for each. */
const mostKeysPerSecond = 20;

interface Press {
  timestamp: number;
  key: string;
  /** In units of the clock. */
  duration: number;
  isTold: boolean;
  /** A packet has come since `settle` was called last. */
  isGoingOn: boolean;
}

export class KeyHearing {
  readonly #pressed: Pressed;
  readonly #limit = new PacketLimit(mostKeysPerSecond);
  readonly clock: number;
  #press: Press | null = null;

  constructor(clock: number, pressed: Pressed) {
    this.clock = clock;
    this.#pressed = pressed;
  }

  receive(timestamp: number, payload: Uint8Array, nowMs: number): void {
    const event = readTelephoneEvent(payload);
    if (event === null) return;
    if (this.#press === null || timestamp !== this.#press.timestamp) {
      // A packet that was overtaken by the next key.
      if (this.#press !== null && ((timestamp - this.#press.timestamp) | 0) < 0) return;
      this.#tell(nowMs);
      this.#press = { timestamp, key: event.key, duration: 0, isTold: false, isGoingOn: true };
    }
    this.#press.isGoingOn = true;
    this.#press.duration = Math.max(this.#press.duration, event.duration);
    if (event.isEnd) this.#tell(nowMs);
  }

  /** From time to time: a key whose end was lost has ended when no more packets of it come. */
  settle(nowMs: number): void {
    if (this.#press === null) return;
    if (!this.#press.isGoingOn) this.#tell(nowMs);
    this.#press.isGoingOn = false;
  }

  /** Another sender: its timestamps have nothing to do with those before. */
  reset(nowMs: number): void {
    this.#tell(nowMs);
    this.#press = null;
  }

  #tell(nowMs: number): void {
    if (this.#press === null || this.#press.isTold) return;
    this.#press.isTold = true;
    if (this.#limit.take(nowMs)) this.#pressed(this.#press.key, (1000 * this.#press.duration) / this.clock);
  }
}
