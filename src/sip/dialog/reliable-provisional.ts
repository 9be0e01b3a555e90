/** Reliable provisional responses of a UAS (RFC 3262): one at a time, repeated until its PRACK comes. */
import type { SipRequest, SipResponse } from '../message/message.ts';
import { parseDigits } from '../message/text.ts';
import type { Timer, Timers } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { TimerValues } from '../transaction/timer-values.ts';

export class ReliableProvisionals {
  readonly #invite: ServerTransaction;
  readonly #timers: Timers;
  readonly #values: TimerValues;
  readonly #unacknowledged: () => void;
  #sequence: number;
  #current: SipResponse | null = null;
  readonly #waiting: SipResponse[] = [];
  #pause = 0;
  #firstSentAt = 0;
  #timer: Timer | null = null;

  /** `unacknowledged` is called when no PRACK comes within 64 × T1. */
  constructor(invite: ServerTransaction, timers: Timers, values: TimerValues, unacknowledged: () => void) {
    this.#invite = invite;
    this.#timers = timers;
    this.#values = values;
    this.#unacknowledged = unacknowledged;
    this.#sequence = 1;
  }

  send(response: SipResponse): void {
    response.headers.add('Require', '100rel');
    response.headers.add('RSeq', String(this.#sequence++));
    if (this.#current) this.#waiting.push(response);
    else this.#begin(response);
  }

  /** Whether a PRACK acknowledges what is outstanding; if not it is answered 481. */
  acknowledge(prack: SipRequest): boolean {
    const [rseq = '', cseq = '', method] = (prack.headers.first('RAck') ?? '').split(/[ \t]+/);
    const current = this.#current?.headers.first('RSeq');
    const matches =
      current !== undefined &&
      parseDigits(rseq, 10) === Number(current) &&
      parseDigits(cseq, 10) === this.#invite.request.cseq.number &&
      method === 'INVITE';
    if (!matches) return false;
    this.#timer?.close();
    this.#current = null;
    const next = this.#waiting.shift();
    if (next) this.#begin(next);
    return true;
  }

  /** With the final response nothing is repeated any more. */
  stop(): void {
    this.#timer?.close();
    this.#current = null;
    this.#waiting.length = 0;
  }

  #begin(response: SipResponse): void {
    this.#current = response;
    this.#pause = this.#values.t1;
    this.#firstSentAt = this.#timers.now();
    this.#transmit();
  }

  #transmit(): void {
    if (this.#current) this.#invite.respond(this.#current);
    this.#timer = this.#timers.after(this.#pause, repeatProvisional, this);
    this.#pause *= 2;
  }

  repeat(): void {
    if (this.#current === null) return;
    if (this.#timers.now() - this.#firstSentAt < this.#values.giveUp) return void this.#transmit();
    this.stop();
    this.#unacknowledged();
  }
}

function repeatProvisional(provisionals: ReliableProvisionals): void {
  provisionals.repeat();
}
