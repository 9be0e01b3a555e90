/** INVITE client transaction (RFC 3261 17.1.1 with the accepted state of RFC 6026). */
import { ackOfFailure } from '../message/build.ts';
import type { SipResponse } from '../message/message.ts';
import { serialise } from '../message/serialise.ts';
import { ignoreSent } from '../transport/transport-layer.ts';
import { ClientTransaction } from './client-transaction.ts';

type InviteClientState = 'calling' | 'proceeding' | 'completed' | 'accepted';

export class InviteClientTransaction extends ClientTransaction {
  state: InviteClientState = 'calling';
  #ack: Buffer | null = null;
  #expectsFinal = false;

  protected override mayStillFail(): boolean {
    return this.state === 'calling' || this.state === 'proceeding';
  }

  /** Any response ends the repetition of an INVITE, which its call keeps. */
  override receive(response: SipResponse): void {
    const { status } = response;
    this.forgetBytes();
    if (status < 200) this.#provisional(response);
    else if (status < 300) this.#success(response);
    else this.#failure(response);
  }

  /**
   * After a CANCEL, or a BYE for the dialog, the final response must come within 64 × T1 (RFC 3261 9.1); else it is a
   * timeout.
   */
  expectFinal(): void {
    this.#expectsFinal = true;
    if (this.state === 'proceeding') this.giveUpAfter(this.host.values.giveUp);
  }

  #provisional(response: SipResponse): void {
    if (this.state === 'calling') {
      this.timers.stop('retransmit');
      if (!this.#expectsFinal) this.timers.stop('give up');
      this.state = 'proceeding';
    }
    if (this.state === 'proceeding') this.user.response(response, this);
  }

  #success(response: SipResponse): void {
    if (this.state === 'completed') return;
    if (this.state !== 'accepted') {
      this.state = 'accepted';
      this.timers.stopAll();
      this.endAfter(this.host.values.giveUp);
    }
    this.user.response(response, this);
  }

  /** The ACK of a failure belongs to this transaction and is repeated for each retransmission. */
  #failure(response: SipResponse): void {
    if (this.state === 'accepted') return;
    this.#ack ??= serialise(ackOfFailure(this.request, response));
    this.host.transport.send(this.#ack, this.target, ignoreSent);
    if (this.state === 'completed') return;
    this.state = 'completed';
    this.timers.stopAll();
    if (!this.isReliable) this.endAfter(this.host.values.d);
    else this.end();
    this.user.response(response, this);
  }

  /** Timer A doubles without a bound; the transaction gives up first. */
  protected override nextPause(pause: number): number {
    return 2 * pause;
  }
}
