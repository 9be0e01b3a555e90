/**
 * A SIP element: wires, transactions and dialogs put together. Calls come in here and are placed from here. By hand: a
 * call must live in the process that decides about it; drachtio is a server of its own, SIP.js for browsers.
 */
import { type Agent, type DialogUser, describeAgent, supportedExtensions } from './dialog/agent.ts';
import { type Dialog, dialogKey } from './dialog/dialog.ts';
import { IncomingCall } from './dialog/incoming-call.ts';
import { OutgoingCall, type OutgoingOptions, type OutgoingUser } from './dialog/outgoing-call.ts';
import type { SessionUser } from './dialog/session.ts';
import { isTooShort, leastInterval } from './dialog/session-timer.ts';
import type { IdSource } from './ids.ts';
import { allowedOutside } from './message/allowed-methods.ts';
import type { SipRequest } from './message/message.ts';
import { SipError } from './message/sip-error.ts';
import { formatHostPort } from './message/uri.ts';
import { nextHopTarget } from './resolve/next-hop.ts';
import type { Timers } from './timers.ts';
import type { ServerTransaction, ServerUser } from './transaction/server-transaction.ts';
import { type TimerValues, timerValues } from './transaction/timer-values.ts';
import { TransactionLayer } from './transaction/transaction-layer.ts';
import { TransportLayer, type TransportOptions } from './transport/transport-layer.ts';
import type { Flow, Target } from './transport/wire.ts';

export interface UserAgentUser {
  /** A new call: `progress`, `accept` or `reject` it, and `watch` it for its cancellation. */
  call(call: IncomingCall): void;
  /** A request outside of any dialog that is not answered here, for example REGISTER. */
  request(transaction: ServerTransaction): void;
  /** A request within a dialog that is not known here: whether it is answered. Otherwise the response is 481. */
  strayed?(transaction: ServerTransaction): boolean;
  /** OPTIONS outside of a dialog, which has been answered. */
  options?(transaction: ServerTransaction): void;
  /** Before OPTIONS outside of a dialog is answered: whether peers are to send their calls elsewhere. */
  leaves?(): Overload | null;
  /** Before a new INVITE is handed over: why it is refused with 503, or null to admit it. */
  overloaded?(transaction: ServerTransaction): Overload | null;
}

export interface Overload {
  /** Seconds after which the caller may try again. */
  retryAfter: number;
  /** The value of `Reason`. */
  reason: string;
}

interface UserAgentOptions {
  timers: Timers;
  ids: IdSource;
  /** From 0 to below 1. */
  random: () => number;
  /** The address of a host name that has been looked up; null if unknown. */
  addressOf?: (host: string) => string | null;
  values?: TimerValues;
  transport?: TransportOptions;
  /** Value of Contact's user part. */
  contactUser?: string;
}

export class UserAgent implements Agent, ServerUser {
  readonly timers: Timers;
  readonly ids: IdSource;
  readonly random: () => number;
  readonly transactions: TransactionLayer;
  readonly transport: TransportLayer;
  readonly #user: UserAgentUser;
  readonly #options: UserAgentOptions;
  readonly #dialogs = new Map<string, DialogUser>();
  /** Calls that can still be cancelled, by their transaction. */
  readonly #incoming = new Map<ServerTransaction, IncomingCall>();
  /** INVITEs in progress, to recognise one that came by two ways (RFC 3261 8.2.2.2). */
  readonly #inProgress = new Map<string, ServerTransaction>();

  constructor(options: UserAgentOptions, user: UserAgentUser) {
    this.timers = options.timers;
    this.ids = options.ids;
    this.random = options.random;
    this.#options = options;
    this.#user = user;
    this.transactions = new TransactionLayer(options.timers, options.ids, options.values ?? timerValues);
    this.transport = new TransportLayer(this.transactions, options.timers, options.transport);
    this.transactions.connect(this.transport, this);
  }

  place(options: OutgoingOptions, user: OutgoingUser, sessionUser: SessionUser): OutgoingCall {
    const call = new OutgoingCall(this, options, user, sessionUser);
    call.start();
    return call;
  }

  /** A connection that is the only way to a client has ended: so have its calls. */
  connectionEnded(flow: Flow): void {
    for (const user of [...this.#dialogs.values()]) user.connectionEnded?.(flow);
    this.transactions.connectionEnded(flow);
  }

  async close(): Promise<void> {
    this.transactions.close();
    await this.transport.close();
  }

  /** Dialogs known at the moment, for metrics and tests. */
  get dialogs(): number {
    return this.#dialogs.size;
  }

  contact(target: Target): string {
    const local = this.transport.localFor(target.transport, target.address);
    const host = local ? formatHostPort(local) : 'invalid.invalid';
    const user = this.#options.contactUser === undefined ? '' : `${this.#options.contactUser}@`;
    const transport = target.transport === 'UDP' ? '' : `;transport=${target.transport.toLowerCase()}`;
    return `<sip:${user}${host}${transport}>`;
  }

  targetOf(dialog: Dialog): Target {
    return nextHopTarget(dialog.nextHop, dialog.peer, this.#options.addressOf);
  }

  addDialog(dialog: Dialog, user: DialogUser): void {
    this.#dialogs.set(dialog.key, user);
  }

  removeDialog(dialog: Dialog): void {
    this.#dialogs.delete(dialog.key);
  }

  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    try {
      if (request.toTag !== '') this.#receiveWithinDialog(transaction);
      else this.#receiveOutside(transaction);
    } catch (error) {
      if (!(error instanceof SipError)) throw error;
      transaction.reply(error.status, error.message);
    }
  }

  ack(ack: SipRequest): void {
    this.#dialogs.get(dialogKey(ack.callId, ack.toTag, ack.fromTag))?.ack(ack);
  }

  cancelled(transaction: ServerTransaction, cancel: SipRequest): void {
    this.#incoming.get(transaction)?.cancelled(cancel);
  }

  /** The failure response had no ACK: the call is over anyway. */
  unacknowledged(): void {}

  /** A transaction is over: it can be neither cancelled nor met again. */
  transactionEnded(transaction: ServerTransaction): void {
    this.#incoming.delete(transaction);
    const key = mergeKey(transaction.request);
    if (this.#inProgress.get(key) === transaction) this.#inProgress.delete(key);
  }

  #receiveWithinDialog(transaction: ServerTransaction): void {
    const { request } = transaction;
    const user = this.#dialogs.get(dialogKey(request.callId, request.toTag, request.fromTag));
    if (!user) {
      if (!(this.#user.strayed?.(transaction) ?? false)) transaction.reply(481);
      return;
    }
    if (!this.#refuseExtensions(transaction)) user.request(transaction);
  }

  #receiveOutside(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (this.#refuseExtensions(transaction)) return;
    if (request.method === 'INVITE') return void this.#receiveInvite(transaction);
    if (request.method === 'OPTIONS') return void this.#respondOptions(transaction);
    if (request.method === 'BYE' || request.method === 'PRACK' || request.method === 'UPDATE')
      return void transaction.reply(481);
    this.#user.request(transaction);
  }

  #receiveInvite(transaction: ServerTransaction): void {
    if (isTooShort(transaction.request, leastInterval)) {
      return void transaction.reply(422, undefined, { 'Min-SE': String(leastInterval) });
    }
    const key = mergeKey(transaction.request);
    if (this.#inProgress.has(key)) return void transaction.reply(482);
    const call = new IncomingCall(this, transaction);
    // Asked last, because an admitted call counts until its user has ended it.
    const overload = this.#user.overloaded?.(transaction) ?? null;
    if (overload !== null) {
      return void call.reject(503, { headers: overloadHeaders(overload) });
    }
    this.#inProgress.set(key, transaction);
    this.#incoming.set(transaction, call);
    this.#user.call(call);
  }

  /** RFC 3261 8.2.2.3: a request that requires what is not supported is refused with the list of it. */
  #refuseExtensions(transaction: ServerTransaction): boolean {
    const supported: readonly string[] = supportedExtensions;
    const unknown = transaction.request.headers
      .all('Require')
      // An empty header requires nothing.
      .filter((tag) => tag.trim() !== '' && !supported.includes(tag.trim().toLowerCase()));
    if (unknown.length > 0) transaction.reply(420, undefined, { Unsupported: unknown.join(', ') });
    return unknown.length > 0;
  }

  #respondOptions(transaction: ServerTransaction): void {
    const overload = this.#user.leaves?.() ?? null;
    const response = transaction.makeResponse(overload === null ? 200 : 503);
    describeAgent(response, this.contact(transaction.flow), allowedOutside);
    for (const [name, value] of overload === null ? [] : overloadHeaders(overload)) response.headers.add(name, value);
    transaction.respond(response);
    this.#user.options?.(transaction);
  }
}

const overloadHeaders = ({ retryAfter, reason }: Overload) =>
  [
    ['Retry-After', String(retryAfter)],
    ['Reason', reason],
  ] as const;

function mergeKey(request: SipRequest): string {
  return `${request.callId} ${request.fromTag} ${request.cseq.number}`;
}
