/** Matches messages to transactions (RFC 3261 17.1.3, 17.2.3), makes new ones, and answers CANCEL. */
import type { IdSource } from '../ids.ts';
import { cancelOf } from '../message/build.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { serialise } from '../message/serialise.ts';
import { formatHostPort } from '../message/uri.ts';
import { branchOf, formatVia, magicCookie } from '../message/via.ts';
import type { Timers } from '../timers.ts';
import { ignoreSent, type MessageHandler, type TransportLayer } from '../transport/transport-layer.ts';
import { type Flow, isBy, type Target } from '../transport/wire.ts';
import type { ClientTransaction, ClientUser } from './client-transaction.ts';
import { InviteClientTransaction } from './invite-client.ts';
import { InviteServerTransaction } from './invite-server.ts';
import { PlainClientTransaction } from './plain-client.ts';
import { PlainServerTransaction } from './plain-server.ts';
import type { ServerTransaction, ServerUser } from './server-transaction.ts';
import { type TimerValues, timerValues } from './timer-values.ts';
import type { TransactionHost } from './transaction.ts';

export class TransactionLayer implements TransactionHost, MessageHandler {
  readonly timers: Timers;
  readonly values: TimerValues;
  readonly #ids: IdSource;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  #transport: TransportLayer | null = null;
  #user: ServerUser | null = null;

  constructor(timers: Timers, ids: IdSource, values: TimerValues = timerValues) {
    this.timers = timers;
    this.values = values;
    this.#ids = ids;
  }

  /** Joins the layers below and above; called once, before anything arrives. */
  connect(transport: TransportLayer, user: ServerUser): void {
    this.#transport = transport;
    this.#user = user;
  }

  get transport(): TransportLayer {
    if (!this.#transport) throw new Error('the transaction layer is not connected');
    return this.#transport;
  }

  /** Transactions in progress, for metrics and tests. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Ends everything without telling anybody. */
  close(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.end();
  }

  /** Sends a request with a Via of this element. Its user hears of a failure later, never during this call. */
  send(request: SipRequest, target: Target, user: ClientUser): ClientTransaction {
    const branch = this.#addVia(request, target);
    const Kind = request.method === 'INVITE' ? InviteClientTransaction : PlainClientTransaction;
    return this.#startClient(new Kind(this, `${branch} ${request.method}`, request, target, user));
  }

  /** Whether an INVITE has had a provisional response and no final one: before that a CANCEL could overtake it. */
  mayCancel(invite: ClientTransaction): boolean {
    return invite instanceof InviteClientTransaction && invite.state === 'proceeding' && !invite.isEnded;
  }

  /** Cancels an INVITE that has had a provisional response (RFC 3261 9.1). */
  cancel(invite: ClientTransaction, user: ClientUser, reason?: string): void {
    const request = cancelOf(invite.request);
    if (reason !== undefined) request.headers.add('Reason', reason);
    const key = `${branchOf(request.via)} CANCEL`;
    this.#startClient(new PlainClientTransaction(this, key, request, invite.target, user));
    this.expectFinal(invite);
  }

  /** The peer has been told that nobody waits for this INVITE any more, so its final response comes soon or never. */
  expectFinal(invite: ClientTransaction): void {
    if (invite instanceof InviteClientTransaction) invite.expectFinal();
  }

  /** The ACK of a 2xx: a message of its own, outside of any transaction. Returns the bytes, to repeat it unchanged. */
  sendAck(ack: SipRequest, target: Target): Buffer {
    this.#addVia(ack, target);
    const bytes = serialise(ack);
    this.sendAgain(bytes, target);
    return bytes;
  }

  sendAgain(ack: Buffer, target: Target): void {
    this.transport.send(ack, target, ignoreSent);
  }

  receiveResponse(response: SipResponse, _flow: Flow): void {
    const key = `${branchOf(response.via)} ${response.cseq.method}`;
    // A response to nothing that is remembered is late or forged.
    if (response.headers.all('Via').length === 1) this.#clients.get(key)?.receive(response);
  }

  /** Nobody responds any more to what was sent by this connection. */
  connectionEnded(flow: Flow): void {
    for (const transaction of [...this.#clients.values()]) {
      if (isBy(flow, transaction.target)) transaction.connectionEnded();
    }
  }

  ended(side: 'client' | 'server', key: string): void {
    if (side === 'client') return void this.#clients.delete(key);
    const ended = this.#servers.get(key);
    this.#servers.delete(key);
    if (ended) this.#user?.transactionEnded?.(ended);
  }

  #startClient(transaction: ClientTransaction): ClientTransaction {
    this.#clients.set(transaction.key, transaction);
    transaction.start();
    return transaction;
  }

  #addVia(request: SipRequest, target: Target): string {
    const { transport, host, port } = this.transport.localFor(target.transport, target.address) ?? unreachable(target);
    const branch = `${magicCookie}${this.#ids.next()}`;
    const parameters = new Map<string, string | null>([
      ['branch', branch],
      ['rport', null],
    ]);
    request.headers.prepend('Via', formatVia({ transport, host, port, parameters }));
    return branch;
  }

  receiveRequest(request: SipRequest, flow: Flow): void {
    const key = serverKey(request, request.method === 'ACK' ? 'INVITE' : request.method);
    const existing = this.#servers.get(key);
    if (request.method === 'ACK') return void this.#receiveAck(request, flow, existing);
    if (existing) return void existing.receiveAgain();
    const user = this.#user;
    if (!user) return;
    const identity = { key, localTag: this.#ids.next() };
    const Kind = request.method === 'INVITE' ? InviteServerTransaction : PlainServerTransaction;
    const transaction = new Kind(this, identity, request, flow, user);
    this.#servers.set(key, transaction);
    if (request.method === 'CANCEL') return void this.#receiveCancel(transaction, user);
    if (transaction instanceof InviteServerTransaction) transaction.start();
    user.request(transaction);
  }

  #receiveAck(ack: SipRequest, flow: Flow, existing: ServerTransaction | undefined): void {
    if (existing instanceof InviteServerTransaction && existing.receiveAck()) return;
    this.#user?.ack(ack, flow);
  }

  /** CANCEL has the branch of the INVITE; it has no effect once that has a final response (RFC 3261 9.2). */
  #receiveCancel(cancel: ServerTransaction, user: ServerUser): void {
    const invite = this.#servers.get(serverKey(cancel.request, 'INVITE'));
    if (!invite) return void cancel.reply(481);
    cancel.reply(200);
    if (!invite.isAnswered) user.cancelled(invite, cancel.request);
  }
}

/** Branch and sender identify a request; peers of RFC 2543 have no unique branch, so more is taken in. */
function serverKey(request: SipRequest, method: string): string {
  const { via } = request;
  const branch = branchOf(via);
  const sentBy = formatHostPort(via);
  if (branch.startsWith(magicCookie)) return `${branch} ${sentBy} ${method}`;
  return `${request.callId} ${request.fromTag} ${request.cseq.number} ${branch} ${sentBy} ${method}`;
}

function unreachable(target: Target): { transport: string; host: string; port: number } {
  return { transport: target.transport, host: 'invalid.invalid', port: 5060 };
}
