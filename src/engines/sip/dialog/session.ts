/** An established call: requests in both directions, re-INVITE with glare, keep-alive, and exactly one end. */
import type { Account } from '../digest/client.ts';
import { allowedInDialog } from '../message/allowed-methods.ts';
import { copyToKeep } from '../message/kept-bytes.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { SipError } from '../message/sip-error.ts';
import type { Timer } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import { type Flow, isBy, type Target } from '../transport/wire.ts';
import {
  type Agent,
  addExtra,
  type Content,
  type DialogUser,
  describeAgent,
  type Extra,
  supportedExtensions,
} from './agent.ts';
import type { Dialog } from './dialog.ts';
import { DialogRequest, type Finished } from './dialog-request.ts';
import { Reinvites, type ReinvitingSession } from './reinvites.ts';
import { RepeatedResponse } from './repeated-response.ts';
import { SessionRefresh } from './session-refresh.ts';
import { isTooShort, leastInterval, type SessionTimer, timerForResponse, timerOfResponse } from './session-timer.ts';

/** Why a session ended: hung up here or there, no ACK came, the session timer ran out, or the peer does not respond. */
export type EndCause = 'local' | 'remote' | 'unacknowledged' | 'expired' | 'lost';

export interface SessionUser {
  /** A re-INVITE, an UPDATE with a body, INFO, REFER …: to be answered with `session.answer`. */
  request(session: Session, transaction: ServerTransaction): void;
  /** The ACK of a 2xx sent here; with a delayed offer its body is the answer. */
  acknowledged(session: Session, ack: SipRequest): void;
  /** Called exactly once. `bye` is the peer's request if there was one. */
  ended(session: Session, cause: EndCause, bye: SipRequest | null): void;
}

export class Session implements DialogUser, ReinvitingSession {
  readonly dialog: Dialog;
  readonly #agent: Agent;
  readonly #user: SessionUser;
  readonly #account: Account | null;
  readonly #refresh: SessionRefresh;
  readonly #reinvites: Reinvites;
  #isEnded = false;
  #accepted: RepeatedResponse | null = null;
  #byeAfterAck: Extra | null = null;
  #ack: { sequence: number; bytes: Buffer; target: Target } | null = null;
  #incomingInvite: ServerTransaction | null = null;
  #keepAlive: Timer | null = null;
  /** What a refresh by re-INVITE offers again. */
  lastContent: Content | undefined;
  peerAllowsUpdate = false;

  constructor(agent: Agent, dialog: Dialog, user: SessionUser, isCaller: boolean, account: Account | null = null) {
    this.#agent = agent;
    this.dialog = dialog;
    this.#user = user;
    this.#account = account;
    dialog.heardAt = agent.timers.now();
    this.#refresh = new SessionRefresh(agent.timers, this);
    this.#reinvites = new Reinvites(agent, this, isCaller);
    agent.addDialog(dialog, this);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isInvited(): boolean {
    return this.#incomingInvite !== null;
  }

  get awaitsAck(): boolean {
    return this.#accepted !== null;
  }

  /** Sends the ACK of a 2xx, with the answer if the offer came in it. */
  acknowledge(response: SipResponse, content?: Content): void {
    const ack = this.dialog.createRequest('ACK', response.cseq.number);
    addExtra(ack, { content });
    const target = this.#agent.targetOf(this.dialog);
    const bytes = copyToKeep(this.#agent.transactions.sendAck(ack, target));
    this.#ack = { sequence: response.cseq.number, bytes, target };
  }

  /** A repeated 2xx gets the same ACK again. */
  acknowledgeAgain(response: SipResponse): void {
    if (this.#ack?.sequence === response.cseq.number)
      this.#agent.transactions.sendAgain(this.#ack.bytes, this.#ack.target);
  }

  /** Any request but INVITE and BYE. `finished` gets null when nobody answered, which ends the session. */
  send(method: string, extra: Extra, finished: Finished): void {
    this.sendRequest(method, extra, (response, sequence) => {
      finished(response, sequence);
      this.endIfLost(response);
    });
  }

  /** A new offer. A 2xx is given to `finished`, which must see to its ACK. */
  reinvite(extra: Extra, finished: Finished): void {
    this.#reinvites.send(extra, finished);
  }

  /** Answers a request that `SessionUser.request` was given. */
  answer(transaction: ServerTransaction, status: number, extra: Extra = {}, reason?: string): void {
    const response = transaction.makeResponse(status, reason);
    const { method } = transaction.request;
    if (status < 300 && status >= 200 && (method === 'INVITE' || method === 'UPDATE'))
      this.#completeAnswer(transaction, response);
    addExtra(response, extra);
    if (status < 200 || method !== 'INVITE') return void transaction.respond(response);
    this.#incomingInvite = null;
    if (status >= 300) return void transaction.respond(response);
    if (extra.content) this.lastContent = extra.content;
    this.#accepted?.stop();
    const { timers, transactions } = this.#agent;
    const { values } = transactions;
    const unacknowledged = () => this.#unacknowledged();
    this.#accepted = new RepeatedResponse(transaction, response, {
      timers,
      values,
      longestPause: values.t2,
      unacknowledged,
    });
  }

  /** Sends BYE. On the called side it waits for the ACK of the 2xx (RFC 3261 15). */
  hangUp(extra: Extra = {}): void {
    this.#end('local', true, extra);
  }

  /** Checks with OPTIONS whether the peer still knows the call. */
  keepAlive(everyMs: number): void {
    this.#keepAlive?.close();
    this.#keepAlive = this.#agent.timers.after(everyMs, checkAlive, { session: this, everyMs });
  }

  check(everyMs: number): void {
    if (this.#isEnded) return;
    this.send('OPTIONS', {}, () => undefined);
    this.keepAlive(everyMs);
  }

  ack(request: SipRequest): void {
    this.dialog.heardAt = this.#agent.timers.now();
    if (this.#accepted?.response.cseq.number !== request.cseq.number) return;
    this.#accepted.stop();
    this.#accepted = null;
    if (this.#byeAfterAck) return void this.#sendBye(this.#byeAfterAck);
    if (this.#isEnded) return;
    this.#user.acknowledged(this, request);
    this.#reinvites.acknowledged();
  }

  request(transaction: ServerTransaction): void {
    const { request } = transaction;
    this.dialog.heard(transaction.flow, this.#agent.timers.now());
    if (request.method === 'BYE') return void this.#receiveBye(transaction);
    if (this.#isEnded) return void transaction.reply(481);
    if (!this.dialog.acceptSequence(request.cseq.number)) return void transaction.reply(500, 'Sequence Out of Order');
    try {
      this.#receive(transaction);
    } catch (error) {
      if (!(error instanceof SipError)) throw error;
      transaction.reply(error.status, error.message);
    }
  }

  /** Whoever closes the connection that is the only way back hangs up. */
  connectionEnded(flow: Flow): void {
    if (isBy(flow, this.dialog.peer)) this.#end('remote', false);
  }

  /** The peer's session timer ran out, or the peer does not know the call any more. */
  end(cause: 'expired' | 'lost'): void {
    this.#end(cause, true);
  }

  /** Notes what was agreed about session timers in a 2xx, sent or received. */
  useTimer(timer: SessionTimer | null): void {
    this.#refresh.use(timer);
  }

  /** No ACK came within 64 × T1: BYE goes out now, also one that has waited for the ACK. */
  #unacknowledged(): void {
    if (this.#byeAfterAck) this.#sendBye(this.#byeAfterAck);
    else this.#end('unacknowledged', true);
  }

  #receive(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (request.method === 'OPTIONS') return void this.#respondOptions(transaction);
    // RFC 3262 3: the answer may overtake the PRACK of a provisional response, which is accepted all the same.
    if (request.method === 'PRACK') return void transaction.reply(200);
    if (request.method !== 'INVITE' && request.method !== 'UPDATE') return void this.#user.request(this, transaction);
    if (isTooShort(request, leastInterval))
      return void transaction.reply(422, undefined, { 'Min-SE': String(leastInterval) });
    // RFC 3261 14.2: a second INVITE before the first is answered.
    if (request.method === 'INVITE' && this.#incomingInvite) {
      return void transaction.reply(500, 'Request Pending', {
        'Retry-After': String(Math.floor(this.#agent.random() * 11)),
      });
    }
    if (this.#reinvites.isPending && (request.method === 'INVITE' || request.body.length > 0))
      return void transaction.reply(491);
    this.dialog.refresh(request);
    this.peerAllowsUpdate = request.headers.lists('Allow', 'UPDATE') || this.peerAllowsUpdate;
    if (request.method === 'UPDATE' && request.body.length === 0) return void this.answer(transaction, 200);
    if (request.method === 'INVITE') this.#incomingInvite = transaction;
    this.#user.request(this, transaction);
  }

  #receiveBye(transaction: ServerTransaction): void {
    transaction.reply(200);
    this.#incomingInvite?.reply(487);
    this.#end('remote', false, {}, transaction.request);
  }

  #respondOptions(transaction: ServerTransaction): void {
    const response = transaction.makeResponse(200);
    describeAgent(response, this.dialog.contact);
    transaction.respond(response);
  }

  #completeAnswer(transaction: ServerTransaction, response: SipResponse): void {
    response.headers.add('Contact', this.dialog.contact);
    response.headers.add('Allow', allowedInDialog);
    response.headers.add('Supported', supportedExtensions.join(', '));
    const timer = timerForResponse(transaction.request);
    if (timer) {
      response.headers.add('Session-Expires', timer.header);
      if (!timer.refreshes) response.headers.add('Require', 'timer');
    }
    this.#refresh.use(timer);
  }

  /** Takes over what a 2xx to a re-INVITE says about the dialog and its timer. */
  agree(response: SipResponse): void {
    try {
      this.dialog.refresh(response);
    } catch (error) {
      // With a damaged Contact the former one stays; the call goes on.
      if (!(error instanceof SipError)) throw error;
    }
    this.peerAllowsUpdate = response.headers.lists('Allow', 'UPDATE') || this.peerAllowsUpdate;
    this.#refresh.use(timerOfResponse(response));
  }

  /** Sends a request without a thought for what its failure means for the session. */
  sendRequest(method: string, extra: Extra, finished: Finished): DialogRequest {
    if (extra.content) this.lastContent = extra.content;
    const { dialog } = this;
    const agent = this.#agent;
    const account = this.#account;
    const repeated = (response: SipResponse) => this.acknowledgeAgain(response);
    const request = new DialogRequest({ agent, dialog, method, extra, account, finished, repeated });
    request.send();
    return request;
  }

  /**
   * RFC 3261 12.2.1.2: no response, 408 and 481 mean that the peer has no such dialog. A peer that has just hung up
   * answers 481 as well (RFC 5407 3.2), and its BYE may arrive after that response: it gets one T1, and then counts as
   * the end.
   */
  endIfLost(response: SipResponse | null): void {
    if (response === null || response.status === 408) this.#end('lost', true);
    else if (response.status === 481) this.#agent.timers.after(this.#agent.transactions.values.t1, endAsLost, this);
  }

  #end(cause: EndCause, sendBye: boolean, extra: Extra = {}, bye: SipRequest | null = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#refresh.use(null);
    this.#keepAlive?.close();
    this.#reinvites.end();
    const waitsForAck = this.#accepted !== null && cause !== 'unacknowledged' && sendBye;
    if (!waitsForAck) this.#accepted?.stop();
    if (waitsForAck) this.#byeAfterAck = extra;
    else if (sendBye) this.#sendBye(extra);
    else this.#agent.removeDialog(this.dialog);
    this.#user.ended(this, cause, bye);
  }

  /** The dialog stays known until BYE is answered, so that a BYE that crosses it is answered 200. */
  #sendBye(extra: Extra): void {
    this.#accepted = null;
    this.sendRequest('BYE', extra, () => this.#agent.removeDialog(this.dialog));
  }
}

function endAsLost(session: Session): void {
  session.end('lost');
}

function checkAlive({ session, everyMs }: { session: Session; everyMs: number }): void {
  session.check(everyMs);
}
