/** The client side of a transaction: sends a request, repeats it over UDP, and passes on the responses. */
import type { SipRequest, SipResponse } from '../message/message.ts';
import { serialise } from '../message/serialise.ts';
import { formatVia } from '../message/via.ts';
import { sendErrorText } from '../transport/send-error.ts';
import { isReliable, type Sent, type Target } from '../transport/wire.ts';
import { TimerSet, type TransactionHost } from './transaction.ts';

/** Whoever sent a request. */
export interface ClientUser {
  /** Each provisional response, the final one, and for INVITE every further 2xx (forks and retransmissions). */
  response(response: SipResponse, transaction: ClientTransaction): void;
  /** No final response: nobody answered in time, or the request could not be sent, with why. */
  failed(cause: 'timeout' | 'transport', transaction: ClientTransaction, why: string): void;
}

const noBytes: Buffer = Buffer.alloc(0);

type ClientTimer = 'retransmit' | 'give up' | 'end';

export abstract class ClientTransaction {
  readonly request: SipRequest;
  readonly key: string;
  target: Target;
  protected readonly host: TransactionHost;
  protected readonly user: ClientUser;
  protected readonly timers: TimerSet<ClientTimer>;
  #bytes = noBytes;
  /** Where a request too long for UDP goes after all when the peer takes no TCP. */
  #datagramInstead: Target | null = null;
  #isEnded = false;
  /** Why it could not be sent. */
  #sendError = 'Not sent';
  /** Before the next repetition. */
  #pause = 0;

  constructor(host: TransactionHost, key: string, request: SipRequest, target: Target, user: ClientUser) {
    this.host = host;
    this.key = key;
    this.request = request;
    this.target = target;
    this.user = user;
    this.timers = new TimerSet(host.timers);
  }

  abstract receive(response: SipResponse): void;
  protected abstract mayStillFail(): boolean;
  /** The pause before the next repetition, by the one before. */
  protected abstract nextPause(pause: number): number;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  protected get isReliable(): boolean {
    return isReliable(this.target.transport);
  }

  start(): void {
    this.#bytes = serialise(this.request);
    const stream = this.host.transport.streamInstead(this.target, this.#bytes.length);
    if (stream) {
      this.#datagramInstead = this.target;
      this.#useTarget(stream);
    }
    this.#startTimers();
    this.#transmit();
  }

  retransmit(): void {
    this.#pause = this.nextPause(this.#pause);
    this.timers.start('retransmit', this.#pause, retransmit, this);
    this.#transmit();
  }

  timeOut(): void {
    this.fail('timeout');
  }

  /** Starts the timers for the transport in use; called again when that changes. */
  #startTimers(): void {
    const { t1, giveUp } = this.host.values;
    this.#pause = t1;
    if (!this.isReliable) this.timers.start('retransmit', t1, retransmit, this);
    this.giveUpAfter(giveUp);
  }

  protected giveUpAfter(ms: number): void {
    this.timers.start('give up', ms, giveUpWaiting, this);
  }

  protected endAfter(ms: number): void {
    this.timers.start('end', ms, endTransaction, this);
  }

  #transmit(): void {
    this.host.transport.send(this.#bytes, this.target, this.#sent);
  }

  /** The response had to come by a connection that has ended. */
  connectionEnded(): void {
    if (!this.mayStillFail()) return;
    this.#sendError = 'The connection has ended';
    this.fail('transport');
  }

  protected fail(cause: 'timeout' | 'transport'): void {
    if (this.#isEnded) return;
    this.end();
    this.user.failed(cause, this, cause === 'timeout' ? 'No response' : this.#sendError);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.timers.stopAll();
    this.forgetBytes();
    this.host.ended('client', this.key);
  }

  /** The request is not repeated any more. */
  protected forgetBytes(): void {
    this.#bytes = noBytes;
  }

  /** One callback per transaction, not per packet. */
  readonly #sent: Sent = (error) => {
    if (error === null || this.#isEnded || !this.mayStillFail()) return;
    if (this.#datagramInstead === null) {
      this.#sendError = sendErrorText(error, this.target.transport);
      // Later, because the wire may report an error while the request is still being started.
      this.host.timers.after(0, failTransport, this);
      return;
    }
    this.host.transport.noteWithoutTcp(this.#datagramInstead);
    this.#useTarget(this.#datagramInstead);
    this.#datagramInstead = null;
    this.#startTimers();
    this.#transmit();
  };

  failTransport(): void {
    this.fail('transport');
  }

  /** RFC 3261 18.1.1: a changed transport changes the topmost Via. */
  #useTarget(target: Target): void {
    this.target = target;
    const local = this.host.transport.localFor(target.transport, target.address);
    if (!local) return;
    this.request.headers.replaceFirst('Via', formatVia({ ...local, parameters: this.request.via.parameters }));
    this.#bytes = serialise(this.request);
  }
}

function failTransport(transaction: ClientTransaction): void {
  transaction.failTransport();
}

function retransmit(transaction: ClientTransaction): void {
  transaction.retransmit();
}

function giveUpWaiting(transaction: ClientTransaction): void {
  transaction.timeOut();
}

function endTransaction(transaction: ClientTransaction): void {
  transaction.end();
}
