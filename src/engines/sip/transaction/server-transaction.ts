/** The server side of a transaction: absorbs repeated requests and repeats the responses. */
import { responseTo } from '../message/build.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { serialise } from '../message/serialise.ts';
import { type Flow, isReliable, type Sent } from '../transport/wire.ts';
import { TimerSet, type TransactionHost } from './transaction.ts';

/** Whoever answers requests. */
export interface ServerUser {
  request(transaction: ServerTransaction): void;
  /** An ACK that belongs to no failure response: it acknowledges a 2xx. */
  ack(request: SipRequest, flow: Flow): void;
  /** The INVITE of this transaction was cancelled before its final response; CANCEL itself has been answered. */
  cancelled(transaction: ServerTransaction, cancel: SipRequest): void;
  /** A final failure response to an INVITE was never acknowledged. */
  unacknowledged(transaction: ServerTransaction): void;
  /** Nothing more can happen to this transaction. */
  transactionEnded?(transaction: ServerTransaction): void;
}

const noBytes: Buffer = Buffer.alloc(0);

type ServerTimer = 'trying' | 'retransmit' | 'give up' | 'end';

export abstract class ServerTransaction {
  readonly request: SipRequest;
  readonly flow: Flow;
  readonly key: string;
  /** The tag that responses of this end carry in To. */
  readonly localTag: string;
  protected readonly host: TransactionHost;
  protected readonly user: ServerUser;
  protected readonly timers: TimerSet<ServerTimer>;
  protected lastResponse: SipResponse | null = null;
  #bytes = noBytes;
  #isEnded = false;

  constructor(
    host: TransactionHost,
    identity: { key: string; localTag: string },
    request: SipRequest,
    flow: Flow,
    user: ServerUser,
  ) {
    this.host = host;
    this.key = identity.key;
    this.localTag = identity.localTag;
    this.request = request;
    this.flow = flow;
    this.user = user;
    this.timers = new TimerSet(host.timers);
  }

  /** Sends a response; ignored where the state does not allow it (a second final response, for example). */
  abstract respond(response: SipResponse): void;
  abstract receiveAgain(): void;
  /** Whether a final response has been given. */
  abstract get isAnswered(): boolean;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** A response to this request with this end's tag, not yet sent. */
  makeResponse(status: number, reason?: string): SipResponse {
    return responseTo(this.request, status, reason, status === 100 ? '' : this.localTag);
  }

  /** Answers without a body. */
  reply(status: number, reason?: string, headers: Readonly<Record<string, string>> = {}): void {
    const response = this.makeResponse(status, reason);
    for (const [name, value] of Object.entries(headers)) response.headers.add(name, value);
    this.respond(response);
  }

  protected get isReliable(): boolean {
    return isReliable(this.flow.transport);
  }

  protected transmit(response: SipResponse): void {
    this.lastResponse = response;
    this.#bytes = serialise(response);
    this.transmitAgain();
  }

  /** Sends a response that is repeated by another: nothing of it is kept. */
  protected transmitOnce(response: SipResponse): void {
    this.forget();
    this.host.transport.sendResponse(response, serialise(response), this.flow, this.sent);
  }

  protected transmitAgain(): void {
    if (this.lastResponse) this.host.transport.sendResponse(this.lastResponse, this.#bytes, this.flow, this.sent);
  }

  /** A response that cannot be sent is repeated when the request is; nothing else can be done about it. */
  protected readonly sent: Sent = () => undefined;

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.timers.stopAll();
    this.forget();
    this.host.ended('server', this.key);
  }

  /** The call of an INVITE keeps its transaction, but needs no copy of what was sent. */
  protected forget(): void {
    this.lastResponse = null;
    this.#bytes = noBytes;
  }
}
