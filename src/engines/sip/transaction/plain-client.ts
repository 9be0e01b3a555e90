/** Client transaction of every request but INVITE and ACK (RFC 3261 17.1.2). */
import type { SipResponse } from '../message/message.ts';
import { ClientTransaction } from './client-transaction.ts';

type PlainClientState = 'trying' | 'proceeding' | 'completed';

export class PlainClientTransaction extends ClientTransaction {
  state: PlainClientState = 'trying';

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
    else this.endAfter(this.host.values.t4);
  }

  /** Timer E: doubles up to T2; once a provisional has come it is T2. */
  protected override nextPause(pause: number): number {
    const { t2 } = this.host.values;
    return this.state === 'proceeding' ? t2 : Math.min(2 * pause, t2);
  }
}
