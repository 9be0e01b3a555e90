/** INVITE server transaction (RFC 3261 17.2.1 with the accepted state of RFC 6026). */
import type { SipResponse } from '../message/message.ts';
import { ServerTransaction } from './server-transaction.ts';

type InviteServerState = 'proceeding' | 'accepted' | 'completed' | 'confirmed';

export class InviteServerTransaction extends ServerTransaction {
  state: InviteServerState = 'proceeding';
  #pause = 0;

  override get isAnswered(): boolean {
    return this.state !== 'proceeding';
  }

  /** The caller hears something within 200 ms even if routing takes longer, and stops repeating the INVITE. */
  start(): void {
    this.timers.start('trying', this.host.values.trying, sendTrying, this);
  }

  sendTrying(): void {
    if (this.lastResponse === null) this.reply(100);
  }

  /** 2xx may be sent repeatedly while accepted: its retransmission is the business of the UAS core, also on TCP. */
  override respond(response: SipResponse): void {
    const { status } = response;
    if (this.isEnded) return;
    const isSuccess = status >= 200 && status < 300;
    if (this.state === 'accepted' && isSuccess) return void this.transmitOnce(response);
    if (this.state !== 'proceeding') return;
    this.timers.stop('trying');
    if (isSuccess) return void this.#accept(response);
    if (status >= 300) this.#complete();
    this.transmit(response);
  }

  /** In the accepted state the core repeats its 2xx by its own timer, so the request is absorbed. */
  override receiveAgain(): void {
    if (this.state === 'proceeding' || this.state === 'completed') this.transmitAgain();
  }

  /** Returns false for an ACK that acknowledges a 2xx: it is the core's. */
  receiveAck(): boolean {
    if (this.state === 'accepted' || this.state === 'proceeding') return false;
    if (this.state !== 'completed') return true;
    this.state = 'confirmed';
    this.timers.stopAll();
    if (this.isReliable) this.end();
    else this.timers.start('end', this.host.values.t4, endTransaction, this);
    return true;
  }

  #accept(response: SipResponse): void {
    this.state = 'accepted';
    this.timers.start('end', this.host.values.giveUp, endTransaction, this);
    this.transmitOnce(response);
  }

  #complete(): void {
    this.state = 'completed';
    const { t1, giveUp } = this.host.values;
    this.#pause = t1;
    if (!this.isReliable) this.timers.start('retransmit', t1, retransmit, this);
    this.timers.start('give up', giveUp, giveUpWaiting, this);
  }

  retransmit(): void {
    this.#pause = Math.min(2 * this.#pause, this.host.values.t2);
    this.timers.start('retransmit', this.#pause, retransmit, this);
    this.transmitAgain();
  }

  giveUp(): void {
    this.end();
    this.user.unacknowledged(this);
  }
}

function sendTrying(transaction: InviteServerTransaction): void {
  transaction.sendTrying();
}

function retransmit(transaction: InviteServerTransaction): void {
  transaction.retransmit();
}

function giveUpWaiting(transaction: InviteServerTransaction): void {
  transaction.giveUp();
}

function endTransaction(transaction: ServerTransaction): void {
  transaction.end();
}
