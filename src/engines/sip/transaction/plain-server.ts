/** Server transaction of every request but INVITE and ACK (RFC 3261 17.2.2). */
import type { SipResponse } from '../message/message.ts';
import { ServerTransaction } from './server-transaction.ts';

type PlainServerState = 'trying' | 'proceeding' | 'completed';

export class PlainServerTransaction extends ServerTransaction {
  state: PlainServerState = 'trying';

  override get isAnswered(): boolean {
    return this.state === 'completed';
  }

  override respond(response: SipResponse): void {
    if (this.state === 'completed' || this.isEnded) return;
    const final = response.status >= 200;
    this.state = final ? 'completed' : 'proceeding';
    this.transmit(response);
    if (!final) return;
    if (this.isReliable) this.end();
    else this.timers.start('end', this.host.values.giveUp, endTransaction, this);
  }

  override receiveAgain(): void {
    this.transmitAgain();
  }
}

function endTransaction(transaction: ServerTransaction): void {
  transaction.end();
}
