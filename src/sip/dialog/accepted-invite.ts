/** A 2xx to an INVITE, repeated by the UAS core until its ACK comes, on every transport (RFC 3261 13.3.1.4). */
import type { SipResponse } from '../message/message.ts';
import type { Timer, Timers } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { TimerValues } from '../transaction/timer-values.ts';

export class AcceptedInvite {
  readonly sequence: number;
  readonly #transaction: ServerTransaction;
  readonly #response: SipResponse;
  readonly #timers: Timers;
  readonly #values: TimerValues;
  readonly #unacknowledged: () => void;
  readonly #startedAt: number;
  #pause: number;
  #timer: Timer | null = null;

  /** `unacknowledged` is called when no ACK comes within 64 × T1. */
  constructor(
    transaction: ServerTransaction,
    response: SipResponse,
    timers: Timers,
    values: TimerValues,
    unacknowledged: () => void,
  ) {
    this.sequence = transaction.request.cseq.number;
    this.#transaction = transaction;
    this.#response = response;
    this.#timers = timers;
    this.#values = values;
    this.#unacknowledged = unacknowledged;
    this.#startedAt = timers.now();
    this.#pause = values.t1;
    this.#transmit();
  }

  stop(): void {
    this.#timer?.close();
  }

  #transmit(): void {
    this.#transaction.respond(this.#response);
    this.#timer = this.#timers.after(this.#pause, repeatAnswer, this);
    this.#pause = Math.min(2 * this.#pause, this.#values.t2);
  }

  repeat(): void {
    if (this.#timers.now() - this.#startedAt < this.#values.giveUp) this.#transmit();
    else this.#unacknowledged();
  }
}

function repeatAnswer(accepted: AcceptedInvite): void {
  accepted.repeat();
}
