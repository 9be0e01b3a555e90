/**
 * An INVITE sent from here: targets one after another, early dialogs, challenges, cancelling, and every late 2xx hung
 * up.
 */

import { type Account, authorize } from '../digest/client.ts';
import { allowedInDialog } from '../message/allowed-methods.ts';
import { SipRequest, type SipResponse } from '../message/message.ts';
import { SipError } from '../message/sip-error.ts';
import { statusReason } from '../message/status.ts';
import type { Timer } from '../timers.ts';
import type { ClientTransaction, ClientUser } from '../transaction/client-transaction.ts';
import type { Target } from '../transport/wire.ts';
import { type Agent, addExtra, type Content, type Extra } from './agent.ts';
import { type Dialog, dialogOfResponse } from './dialog.ts';
import { EarlyDialogs } from './early-dialogs.ts';
import { Session, type SessionUser } from './session.ts';
import { minSe, timerOfResponse } from './session-timer.ts';

export interface OutgoingOptions {
  /** Request-URI. */
  uri: string;
  /** From and To without tags. */
  from: string;
  to: string;
  /** Every attempt at another trunk has its own. */
  callId?: string;
  /** In the order in which they are tried (RFC 3263 4.3). */
  targets: readonly Target[];
  routes?: readonly string[];
  extra?: Extra;
  account?: Account | null;
  /** Reliable provisional responses: some peers insist on them, some cannot do them. */
  reliable?: 'off' | 'supported' | 'required';
  /** PRACK is sent with `call.prack` instead of at once, to carry an offer or answer of the other leg. */
  manualPrack?: boolean;
  /** Interval of session timers to ask for, in seconds. */
  expires?: number | null;
  /** A target that sends nothing at all within this time is given up. At least 4 s: less fails under packet loss. */
  noResponseMs?: number;
  /** A target that did not respond, could not be reached or answered 503: for `TargetHealth`. */
  targetFailed?: (target: Target) => void;
  /** How long the peer may ring. */
  ringingMs?: number;
  /** Of a call that goes on from another leg: what is left of its hops. */
  maxForwards?: number;
}

export interface OutgoingUser {
  /** Every 18x, also a 180 after a 183. The dialog is null where the response has no tag. */
  progress(call: OutgoingCall, response: SipResponse, dialog: Dialog | null): void;
  /** The 2xx; `session.acknowledge(response)` must follow. */
  answered(call: OutgoingCall, session: Session, response: SipResponse): void;
  /** Called once if the call is not answered; `response` is null for what this end decided (408, 487, 503). */
  failed(call: OutgoingCall, status: number, reason: string, response: SipResponse | null): void;
}

/** Sessions of calls that were given up: they are acknowledged and hung up, and nobody hears of them. */
const nobody: SessionUser = {
  request: (_session, transaction) => transaction.reply(481),
  acknowledged: () => undefined,
  ended: () => undefined,
};

const mostRetries = 4;

export class OutgoingCall implements ClientUser {
  readonly callId: string;
  readonly #agent: Agent;
  readonly #options: OutgoingOptions;
  readonly #user: OutgoingUser;
  readonly #sessionUser: SessionUser;
  readonly #tag: string;
  readonly #early: EarlyDialogs;
  /** By To tag: forks of one INVITE have different ones. */
  readonly #sessions = new Map<string, Session>();
  #current: ClientTransaction | null = null;
  readonly #cancelSent = new Set<ClientTransaction>();
  #sequence = 0;
  #targetIndex = 0;
  #retries = 0;
  #sessionSeconds: number | null;
  #isOver = false;
  #cancelReason: string | undefined;
  #noResponse: Timer | null = null;
  #ringing: Timer | null = null;

  constructor(agent: Agent, options: OutgoingOptions, user: OutgoingUser, sessionUser: SessionUser) {
    this.#agent = agent;
    this.#options = options;
    this.#user = user;
    this.#sessionUser = sessionUser;
    this.#sessionSeconds = options.expires ?? null;
    this.#tag = agent.ids.next();
    this.callId = options.callId ?? agent.ids.next();
    this.#early = new EarlyDialogs(agent);
  }

  /** Answered or failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  start(): void {
    const target = this.#options.targets[this.#targetIndex];
    if (target) this.#attempt(this.#invite(target), target);
    else this.#agent.timers.after(0, failWithoutTarget, this);
  }

  /** Gives the call up. CANCEL waits for a provisional response; a 2xx that comes all the same is hung up. */
  cancel(reason?: string): void {
    this.#cancelReason = reason;
    this.#fail(487, statusReason(487), null);
  }

  /** Acknowledges a reliable provisional response with an offer or answer. */
  prack(response: SipResponse, content?: Content): void {
    const dialog = this.#early.find(response.toTag);
    if (dialog) this.#early.prack(dialog, response, content);
  }

  response(response: SipResponse, transaction: ClientTransaction): void {
    try {
      if (response.status < 200) this.#provisional(response, transaction);
      else if (response.status < 300) this.#success(response, transaction);
      else if (transaction === this.#current && !this.#isOver) this.#refused(response, transaction);
    } catch (error) {
      // A response that no dialog can be made of is as good as lost.
      if (!(error instanceof SipError)) throw error;
    }
  }

  failed(cause: 'timeout' | 'transport', transaction: ClientTransaction, why: string): void {
    if (transaction !== this.#current || this.#isOver) return;
    this.#tryNext(cause === 'timeout' ? 408 : 503, null, why);
  }

  failWithoutTarget(): void {
    this.#fail(503, 'No Target', null);
  }

  silent(): void {
    this.#tryNext(408, null, 'No response');
  }

  unanswered(): void {
    this.#fail(408, 'Ringing Timeout', null);
  }

  #attempt(invite: SipRequest, target: Target): void {
    const { timers, transactions } = this.#agent;
    this.#noResponse?.close();
    this.#noResponse = timers.after(this.#options.noResponseMs ?? 4_000, noResponse, this);
    this.#current = transactions.send(invite, target, this);
  }

  #invite(target: Target): SipRequest {
    const { uri, from, to, routes = [], extra = {}, reliable = 'supported' } = this.#options;
    const invite = new SipRequest('INVITE', uri);
    invite.headers.add('Max-Forwards', String(this.#options.maxForwards ?? 70));
    invite.headers.addAll('Route', routes);
    invite.headers.add('From', `${from};tag=${this.#tag}`);
    invite.headers.add('To', to);
    invite.headers.add('Call-ID', this.callId);
    invite.headers.add('CSeq', `${++this.#sequence} INVITE`);
    invite.headers.add('Contact', this.#agent.contact(target));
    invite.headers.add('Allow', allowedInDialog);
    invite.headers.add('Supported', reliable === 'off' ? 'timer' : '100rel, timer');
    if (reliable === 'required') invite.headers.add('Require', '100rel');
    if (this.#sessionSeconds !== null) invite.headers.add('Session-Expires', String(this.#sessionSeconds));
    addExtra(invite, extra);
    return invite;
  }

  #provisional(response: SipResponse, transaction: ClientTransaction): void {
    if (transaction !== this.#current || this.#isOver) return void this.#cancelAttempt(transaction);
    this.#noResponse?.close();
    this.#ringing ??= this.#agent.timers.after(this.#options.ringingMs ?? 180_000, ringingTimeout, this);
    if (response.status === 100) return;
    const dialog = this.#early.receive(transaction, response);
    if (dialog === 'repeated') return;
    const reliable = response.headers.lists('Require', '100rel') && response.headers.has('RSeq');
    if (dialog && reliable && !this.#options.manualPrack) this.#early.prack(dialog, response);
    this.#user.progress(this, response, dialog);
  }

  /** The first 2xx is the answer; of a fork, or after giving up, every other one is acknowledged and hung up. */
  #success(response: SipResponse, transaction: ClientTransaction): void {
    const known = this.#sessions.get(response.toTag);
    if (known) return void known.acknowledgeAgain(response);
    const dialog =
      this.#early.take(response.toTag, transaction, response) ??
      dialogOfResponse(transaction.request, response, transaction.target);
    const wanted = !this.#isOver && transaction === this.#current;
    const { account = null } = this.#options;
    const session = new Session(this.#agent, dialog, wanted ? this.#sessionUser : nobody, true, account);
    this.#sessions.set(response.toTag, session);
    session.lastContent = this.#options.extra?.content;
    session.peerAllowsUpdate = response.headers.lists('Allow', 'UPDATE');
    if (!wanted) {
      session.acknowledge(response);
      return void session.hangUp();
    }
    this.#over();
    session.useTimer(timerOfResponse(response));
    this.#user.answered(this, session, response);
  }

  #refused(response: SipResponse, transaction: ClientTransaction): void {
    const { status } = response;
    if (status === 401 || status === 407) return void this.#answerChallenge(response, transaction);
    const raised = status === 422 ? minSe(response) : 0;
    if (status === 422 && raised > (this.#sessionSeconds ?? 0) && this.#mayRetry()) {
      this.#sessionSeconds = raised;
      return void this.#again(transaction, (invite) => invite.headers.set('Min-SE', String(raised)));
    }
    if (status === 503) return void this.#tryNext(status, response, response.reason);
    this.#fail(status, response.reason, response);
  }

  /** Same Call-ID and target, CSeq + 1. A stale nonce gets a second attempt. */
  #answerChallenge(response: SipResponse, transaction: ClientTransaction): void {
    const { account } = this.#options;
    const usable = account && this.#mayRetry() && authorize(transaction.request, response, account, this.#agent.ids);
    if (!usable) return void this.#fail(response.status, response.reason, response);
    this.#again(transaction, (invite) => {
      for (const name of ['Authorization', 'Proxy-Authorization'])
        invite.headers.copy(transaction.request.headers, name);
    });
  }

  #mayRetry(): boolean {
    return ++this.#retries <= mostRetries;
  }

  #again(transaction: ClientTransaction, change: (invite: SipRequest) => void): void {
    const invite = this.#invite(transaction.target);
    change(invite);
    this.#attempt(invite, transaction.target);
  }

  /** RFC 3263 4.3: after 503, a timeout or a transport failure the next target is tried. */
  #tryNext(status: number, response: SipResponse | null, why: string): void {
    if (this.#isOver) return;
    if (this.#current) this.#options.targetFailed?.(this.#current.target);
    this.#cancelAttempt(this.#current);
    const next = this.#options.targets[++this.#targetIndex];
    if (next) this.#attempt(this.#invite(next), next);
    else this.#fail(status, why, response);
  }

  #fail(status: number, reason: string, response: SipResponse | null): void {
    if (this.#isOver) return;
    this.#over();
    this.#early.end();
    this.#cancelAttempt(this.#current);
    this.#user.failed(this, status, reason, response);
  }

  #over(): void {
    this.#isOver = true;
    this.#noResponse?.close();
    this.#ringing?.close();
  }

  /** Once per attempt, and only after a provisional response: the next one brings us here again. */
  #cancelAttempt(transaction: ClientTransaction | null): void {
    if (!transaction || this.#cancelSent.has(transaction) || !this.#agent.transactions.mayCancel(transaction)) return;
    this.#cancelSent.add(transaction);
    this.#agent.transactions.cancel(transaction, ignoreOutcome, this.#cancelReason);
  }
}

const ignoreOutcome: ClientUser = { response: () => undefined, failed: () => undefined };

function failWithoutTarget(call: OutgoingCall): void {
  call.failWithoutTarget();
}

function noResponse(call: OutgoingCall): void {
  call.silent();
}

function ringingTimeout(call: OutgoingCall): void {
  call.unanswered();
}
