/**
 * A response that is repeated until it is acknowledged: a 2xx to an INVITE until its ACK (RFC 3261 13.3.1.4, on every
 * transport), a reliable provisional until its PRACK (RFC 3262 3).
 */
import type { SipResponse } from '../message/message.ts';
import type { Timer, Timers } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { TimerValues } from '../transaction/timer-values.ts';

export interface RepeatOptions {
  timers: Timers;
  values: TimerValues;
  longestPause: number;
  /** Called when no acknowledgement comes within 64 × T1. */
  unacknowledged: () => void;
}

export class RepeatedResponse {
  readonly response: SipResponse;
  readonly #transaction: ServerTransaction;
  readonly #options: RepeatOptions;
  readonly #deadline: number;
  #pause: number;
  #timer: Timer | null = null;

  /** Sends it for the first time. */
  constructor(transaction: ServerTransaction, response: SipResponse, options: RepeatOptions) {
    this.response = response;
    this.#transaction = transaction;
    this.#options = options;
    this.#deadline = options.timers.now() + options.values.giveUp;
    this.#pause = options.values.t1;
    this.#transmit();
  }

  stop(): void {
    this.#timer?.close();
  }

  #transmit(): void {
    this.#transaction.respond(this.response);
    const { timers, longestPause } = this.#options;
    this.#timer = timers.after(Math.min(this.#pause, this.#deadline - timers.now()), repeatResponse, this);
    this.#pause = Math.min(2 * this.#pause, longestPause);
  }

  repeat(): void {
    if (this.#options.timers.now() < this.#deadline) this.#transmit();
    else this.#options.unacknowledged();
  }
}

function repeatResponse(repeated: RepeatedResponse): void {
  repeated.repeat();
}
