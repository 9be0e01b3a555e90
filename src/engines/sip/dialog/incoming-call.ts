/** An INVITE received here, until it is answered, refused or cancelled. */
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import { type Flow, isBy } from '../transport/wire.ts';
import { type Agent, addExtra, type DialogUser, describeAgent, type Extra } from './agent.ts';
import { type Dialog, dialogOfRequest } from './dialog.ts';
import { ReliableProvisionals } from './reliable-provisional.ts';
import { Session, type SessionUser } from './session.ts';

interface IncomingUser {
  /**
   * The caller gave up, or a reliable provisional was never acknowledged. The INVITE has been answered. Called at most
   * once.
   */
  cancelled(call: IncomingCall, request: SipRequest | null): void;
  /**
   * A PRACK with or without a body, or an UPDATE, before the answer. PRACK has been matched; it must be answered with
   * `answer`.
   */
  request?(call: IncomingCall, transaction: ServerTransaction): void;
}

export class IncomingCall implements DialogUser {
  readonly transaction: ServerTransaction;
  readonly dialog: Dialog;
  readonly #agent: Agent;
  readonly #provisionals: ReliableProvisionals;
  #user: IncomingUser | null = null;
  #isOver = false;
  /** Who waits for the PRACK of a session description. */
  readonly #waiting: ((isOpen: boolean) => void)[] = [];

  /** Throws `SipError` when the INVITE lacks what a dialog needs. */
  constructor(agent: Agent, transaction: ServerTransaction) {
    this.#agent = agent;
    this.transaction = transaction;
    const { timers, transactions } = agent;
    const contact = agent.contact(transaction.flow);
    const to = transaction.makeResponse(180).headers.first('To') ?? '';
    this.dialog = dialogOfRequest(transaction.request, to, transaction.localTag, contact, transaction.flow);
    this.#provisionals = new ReliableProvisionals(transaction, timers, transactions.values, () => this.#giveUp());
    agent.addDialog(this.dialog, this);
  }

  /** Answered, refused or cancelled: nothing may be dialled for this call any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get peerSupportsReliable(): boolean {
    const { headers } = this.transaction.request;
    return headers.lists('Supported', '100rel') || headers.lists('Require', '100rel');
  }

  /** Who is told that the call was cancelled. */
  watch(user: IncomingUser): void {
    this.#user = user;
  }

  progress(status: number, extra: Extra = {}, reliable = false): void {
    if (this.#isOver) return;
    const response = this.#response(status, extra);
    if ((reliable || this.transaction.request.headers.lists('Require', '100rel')) && status > 100)
      this.#provisionals.send(response);
    else this.transaction.respond(response);
  }

  /**
   * Calls `then` as soon as a 2xx may be sent: not before the PRACK of a reliable provisional response with a session
   * description (RFC 3262 3). With false if the call is over before that.
   */
  whenAcceptable(then: (isOpen: boolean) => void): void {
    if (this.#isOver || !this.#provisionals.isDescribing) then(!this.#isOver);
    else this.#waiting.push(then);
  }

  /**
   * Null if the call is over. Must not be called before `whenAcceptable` says so, if descriptions were sent reliably.
   */
  accept(extra: Extra, user: SessionUser): Session | null {
    if (this.#isOver) return null;
    if (this.#provisionals.isDescribing) throw new Error('a session description waits for its PRACK');
    this.#finish();
    const session = new Session(this.#agent, this.dialog, user, false);
    session.peerAllowsUpdate = this.transaction.request.headers.lists('Allow', 'UPDATE');
    const recorded = this.transaction.request.headers
      .all('Record-Route')
      .map((value) => ['Record-Route', value] as const);
    session.answer(this.transaction, 200, { ...extra, headers: [...recorded, ...(extra.headers ?? [])] });
    return session;
  }

  reject(status: number, extra: Extra = {}, reason?: string): void {
    if (this.#isOver) return;
    this.#finish();
    this.#agent.removeDialog(this.dialog);
    const response = this.transaction.makeResponse(status, reason);
    addExtra(response, extra);
    this.transaction.respond(response);
  }

  /** The user agent received a CANCEL. */
  cancelled(cancel: SipRequest): void {
    this.#cancel(cancel);
  }

  ack(): void {}

  connectionEnded(flow: Flow): void {
    if (isBy(flow, this.transaction.flow)) this.#cancel(this.transaction.request);
  }

  /** Requests of the early dialog. */
  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (request.method === 'BYE') {
      transaction.reply(200);
      return void this.#cancel(request);
    }
    if (!this.dialog.acceptSequence(request.cseq.number)) return void transaction.reply(500, 'Sequence Out of Order');
    if (request.method === 'PRACK') return void this.#receivePrack(transaction);
    if (request.method === 'UPDATE' && this.#user?.request) return void this.#user.request(this, transaction);
    if (request.method !== 'OPTIONS' && request.method !== 'UPDATE') return void transaction.reply(481);
    const response = transaction.makeResponse(200);
    describeAgent(response, this.dialog.contact);
    transaction.respond(response);
  }

  #receivePrack(transaction: ServerTransaction): void {
    if (!this.#provisionals.acknowledge(transaction.request)) return void transaction.reply(481);
    if (this.#user?.request && transaction.request.body.length > 0) this.#user.request(this, transaction);
    else transaction.reply(200);
    if (!this.#provisionals.isDescribing) this.#endWaiting(true);
  }

  #endWaiting(isOpen: boolean): void {
    for (const then of this.#waiting.splice(0)) then(isOpen);
  }

  #cancel(request: SipRequest | null, status = 487): void {
    if (this.#isOver) return;
    this.reject(status);
    this.#user?.cancelled(this, request);
  }

  #giveUp(): void {
    this.#cancel(null, 504);
  }

  #finish(): void {
    this.#isOver = true;
    this.#provisionals.stop();
    this.#endWaiting(false);
  }

  #response(status: number, extra: Extra): SipResponse {
    const response = this.transaction.makeResponse(status);
    if (status > 100) {
      response.headers.copy(this.transaction.request.headers, 'Record-Route');
      response.headers.add('Contact', this.dialog.contact);
    }
    addExtra(response, extra);
    return response;
  }
}
