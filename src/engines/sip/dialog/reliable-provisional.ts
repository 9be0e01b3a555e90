/** Reliable provisional responses of a UAS (RFC 3262): one at a time, repeated until its PRACK comes. */
import type { SipRequest, SipResponse } from '../message/message.ts';
import { parseDigits } from '../message/text.ts';
import type { Timers } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { TimerValues } from '../transaction/timer-values.ts';
import { RepeatedResponse, type RepeatOptions } from './repeated-response.ts';

export class ReliableProvisionals {
  readonly #invite: ServerTransaction;
  readonly #options: RepeatOptions;
  #sequence = 1;
  #current: RepeatedResponse | null = null;
  readonly #waiting: SipResponse[] = [];

  /** `unacknowledged` is called when no PRACK comes within 64 × T1. */
  constructor(invite: ServerTransaction, timers: Timers, values: TimerValues, unacknowledged: () => void) {
    this.#invite = invite;
    this.#options = { timers, values, longestPause: Number.POSITIVE_INFINITY, unacknowledged };
  }

  /** A session description is on its way and not acknowledged: a 2xx must wait (RFC 3262 3). */
  get isDescribing(): boolean {
    const all = this.#current ? [this.#current.response, ...this.#waiting] : this.#waiting;
    return all.some(({ body }) => body.length > 0);
  }

  send(response: SipResponse): void {
    response.headers.add('Require', '100rel');
    response.headers.add('RSeq', String(this.#sequence++));
    if (this.#current) this.#waiting.push(response);
    else this.#current = new RepeatedResponse(this.#invite, response, this.#options);
  }

  /** Whether a PRACK acknowledges what is outstanding; if not it is answered 481. */
  acknowledge(prack: SipRequest): boolean {
    const [rseq = '', cseq = '', method] = (prack.headers.first('RAck') ?? '').split(/[ \t]+/);
    const current = this.#current?.response.headers.first('RSeq');
    const matches =
      current !== undefined &&
      parseDigits(rseq, 10) === Number(current) &&
      parseDigits(cseq, 10) === this.#invite.request.cseq.number &&
      method === 'INVITE';
    if (!matches) return false;
    this.#current?.stop();
    const next = this.#waiting.shift();
    this.#current = next ? new RepeatedResponse(this.#invite, next, this.#options) : null;
    return true;
  }

  /** With the final response nothing is repeated any more. */
  stop(): void {
    this.#current?.stop();
    this.#current = null;
    this.#waiting.length = 0;
  }
}
