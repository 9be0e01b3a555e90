/** Client transaction of every request but INVITE and ACK (RFC 3261 17.1.2). */
import type { SipResponse } from '../message/message.ts';
import { ClientTransaction } from './client-transaction.ts';

export type PlainClientState = 'trying' | 'proceeding' | 'completed';

export class PlainClientTransaction extends ClientTransaction {
  state: PlainClientState = 'trying';
  #pause = 0;

  protected override startTimers(): void {
    const { t1, giveUp } = this.host.values;
    this.#pause = t1;
    if (!this.isReliable) this.timers.start('retransmit', t1, retransmit, this);
    this.timers.start('give up', giveUp, giveUpWaiting, this);
  }

  protected override mayStillFail(): boolean {
    return this.state !== 'completed';
  }

  override receive(response: SipResponse): void {
    if (this.state === 'completed') return;
    if (response.status < 200) this.state = 'proceeding';
    else this.#complete();
    this.user.response(response, this);
  }

  #complete(): void {
    this.state = 'completed';
    this.timers.stopAll();
    if (this.isReliable) this.end();
    else this.timers.start('end', this.host.values.t4, endTransaction, this);
  }

  /** Timer E: doubles up to T2; once a provisional has come it is T2. */
  retransmit(): void {
    const { t2 } = this.host.values;
    this.#pause = this.state === 'proceeding' ? t2 : Math.min(2 * this.#pause, t2);
    this.timers.start('retransmit', this.#pause, retransmit, this);
    this.transmit();
  }

  timeOut(): void {
    this.fail('timeout');
  }
}

function retransmit(transaction: PlainClientTransaction): void {
  transaction.retransmit();
}

function giveUpWaiting(transaction: PlainClientTransaction): void {
  transaction.timeOut();
}

function endTransaction(transaction: ClientTransaction): void {
  transaction.end();
}
