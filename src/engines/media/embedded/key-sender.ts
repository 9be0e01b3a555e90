/** Key presses that are sent to a party (RFC 4733), one after another, in place of the voice. */

import { machineMonotonicClock as clock, sendPaced } from '../../speech/pace.ts';
import { frameMs } from '../../speech/rtp.ts';
import type { OutgoingStream } from './outgoing-stream.ts';

interface Tone {
  payload: number;
  clock: number;
}

interface KeyPress {
  key: string;
  durationMs: number;
  tone: Tone;
}

/** Shorter ones are not recognised; the duration of longer ones has no room in a packet. */
const shortestMs = 40;
const longestDuration = 0xffff;
/** The last packet comes three times, in case one is lost (RFC 4733, 2.5.1.4). */
const ends = 3;
const pauseMs = 60;
/** What is pressed faster than it can be sent is forgotten. */
const mostWaiting = 64;

export class KeySender {
  readonly #stream: OutgoingStream;
  readonly #send: (packet: Uint8Array) => void;
  readonly #waiting: KeyPress[] = [];
  /** Of the keys that are being sent; few calls have any. */
  #ended: AbortController | null = null;
  #isRunning = false;

  constructor(stream: OutgoingStream, send: (packet: Uint8Array) => void) {
    this.#stream = stream;
    this.#send = send;
  }

  press(press: KeyPress): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(press);
    if (!this.#isRunning) void this.#run();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#ended?.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    this.#stream.isPressing = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await sendPaced(this.#packets(next), this.#send, clock, signal);
      await clock.wait(pauseMs, signal);
    }
    this.#stream.isPressing = false;
    this.#isRunning = false;
  }

  *#packets({ key, durationMs, tone }: KeyPress): Generator<Buffer> {
    const timestamp = this.#stream.timestampAt(clock.now());
    const perFrame = (tone.clock * frameMs) / 1000;
    const most = Math.floor(longestDuration / perFrame);
    const frames = Math.min(most, Math.ceil(Math.max(shortestMs, durationMs) / frameMs));
    for (let frame = 1; frame < frames + ends; frame++) {
      const event = { key, isEnd: frame >= frames, duration: Math.min(frame, frames) * perFrame };
      yield this.#stream.keyPacket(event, tone, timestamp, frame === 1);
    }
  }
}
