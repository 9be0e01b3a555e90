/**
 * One call with its two legs: the caller's, and one attempt after another at trunks or carriers. It reports to the call
 * engine what happened to the legs, and does what the engine says.
 */
import { isUnavailable } from '../db/unavailable.ts';
import type { OutgoingCall, OutgoingUser } from '../sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../sip/dialog/session.ts';
import type { SipResponse } from '../sip/message/message.ts';
import type { Target } from '../sip/transport/wire.ts';
import type { Disconnect } from '../voice/call.ts';
import { phraseOf, ringingTimeoutCode } from '../voice/disconnect-codes.ts';
import type { Failure } from '../voice/live-call.ts';
import { later, type Moment, momentOf } from '../voice/moment.ts';
import { AttemptPlans } from './attempt-plans.ts';
import type { BridgeOptions } from './bridge-options.ts';
import type { DialPlan } from './dial-plan.ts';
import { callerStatus, reasonHeader, reasonValue } from './headers.ts';
import { disconnectOf, dismiss, forbidden, keepAliveMs, lost, relayedHeaders, unresolved } from './legs.ts';
import { placeLeg } from './place-leg.ts';
import { Relay } from './relay.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { sdpContent, sdpOf } from './sdp.ts';

export class Bridge {
  readonly #options: BridgeOptions;
  /** What the caller offered; null for a delayed offer. */
  readonly #offer: Buffer | null;
  #attempt: OutgoingCall | null = null;
  /** The plan of the current leg, and those that follow if it fails. */
  #plan: DialPlan | null = null;
  #plans = new AttemptPlans([]);
  /** A reliable provisional response with an offer, whose answer comes in the caller's PRACK. */
  #offered: SipResponse | null = null;
  #relay: Relay | null = null;
  #connected: { at: Moment; ms: number } | null = null;
  #isOver = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#offer = sdpOf(options.caller.transaction.request);
  }

  /** Dials the first attempt, unless the caller has given up meanwhile. */
  async start(): Promise<void> {
    const { caller, live } = this.#options;
    live.carriedBy({ hangUp: (disconnect) => this.#takeDown(disconnect) });
    caller.watch({
      cancelled: (_call, request) => this.#callerGaveUp(request === null),
      request: (_call, transaction) => {
        const { request } = transaction;
        const sdp = sdpOf(request);
        if (request.method === 'PRACK' && sdp !== null) this.#answerOffered(sdp);
        // A new offer before the answer would have to be agreed with a leg that may still change.
        const status = request.method === 'UPDATE' && sdp !== null ? 488 : 200;
        transaction.reply(status, undefined, { Contact: caller.dialog.contact });
      },
    });
    if (caller.isOver) this.#callerGaveUp(false);
    else await this.#dialAttempt();
  }

  /** This process stops, or the call has to end for a reason that the engine does not know. */
  stop(disconnect: Disconnect): void {
    if (this.#isOver) return;
    const at = this.#endTime();
    this.#takeDown(disconnect);
    this.#end(disconnect, at);
  }

  /** This call, if its customer's leg has this dialog and it belongs to the account: for an attended transfer. */
  replaced(dialog: string, accountId: string): ReplacedCall | null {
    const { accountId: owner, direction } = this.#options.live.call;
    if (this.#isOver || owner !== accountId) return null;
    return this.#relay?.replaced(dialog, direction === 'in' ? 'callee' : 'caller') ?? null;
  }

  get #now(): Moment {
    return momentOf(this.#options.endpoint.env.clock);
  }

  async #dialAttempt(): Promise<void> {
    try {
      const planned = await this.#options.plan();
      if (this.#isOver) return;
      this.#plans = new AttemptPlans('code' in planned ? [] : planned);
      await this.#dialNext('code' in planned ? planned : { code: 503, initiator: 'switch' });
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** The database is away, or something unexpected happened: the caller must not be left waiting. */
  #giveUp(error: unknown): void {
    const away = isUnavailable(error);
    if (!away) this.#options.endpoint.env.log.error({ err: error }, 'a call could not be carried on');
    const code = away ? 503 : 500;
    this.stop({ code, reason: phraseOf(code), initiator: 'switch' });
  }

  /** Dials the next plan of this attempt; without one the attempt has failed. */
  async #dialNext(failure: Failure): Promise<void> {
    const plan = this.#plans.next();
    if (plan === undefined) return this.#attemptEnded(failure);
    const offer = this.#offer === null ? undefined : plan.toPeer(this.#offer);
    if (offer === null) return this.#dialNext({ code: 488, reason: 'No codec in common', initiator: 'switch' });
    const targets = await plan.findTargets();
    if (this.#isOver) return;
    if (targets === 'forbidden') return this.#dialNext({ ...forbidden });
    if (targets === 'unresolved') return this.#dialNext({ ...unresolved });
    this.#plan = plan;
    this.#place(plan, targets, offer);
  }

  #place(plan: DialPlan, targets: readonly Target[], offer: Buffer | undefined): void {
    const leg = { callId: this.#nextLeg(), targets, offer, hops: this.#hops };
    this.#attempt = placeLeg(this.#options.endpoint, plan, leg, this.#attemptUser, this.#sessionUser);
  }

  #nextLeg(): string {
    const { endpoint, live } = this.#options;
    const callId = this.#plans.nextCallId(live.call.attempts.at(-1)?.callId ?? '');
    endpoint.taps.leg({ call: live.call.id, callId, side: 'attempt' });
    return callId;
  }

  get #hops(): number {
    return Number(this.#options.caller.transaction.request.headers.first('Max-Forwards') ?? 70);
  }

  readonly #attemptUser: OutgoingUser = {
    progress: (call, response) => {
      if (call === this.#attempt) this.#progress(call, response);
    },
    answered: (call, session, response) => {
      if (call === this.#attempt) this.#answered(session, response).catch((error) => this.#giveUp(error));
      else dismiss(session, response);
    },
    failed: (call, status, reason, response) => {
      if (call === this.#attempt) this.#failed(status, reason, response).catch((error) => this.#giveUp(error));
    },
  };

  /** Every 18x is relayed, with its description of early media. It is sent reliably where both sides can. */
  #progress(call: OutgoingCall, response: SipResponse): void {
    if (this.#isOver || this.#plan === null) return;
    const { caller, live } = this.#options;
    const sdp = sdpOf(response);
    const isReliable = response.headers.lists('Require', '100rel') && response.headers.has('RSeq');
    const passesOn = isReliable && caller.peerSupportsReliable;
    // With a delayed offer the caller's PRACK has the answer for this leg's.
    const waits = passesOn && sdp !== null && this.#offer === null;
    if (waits) this.#offered = response;
    else if (isReliable) call.prack(response);
    live.ringing({ earlyMedia: sdp !== null });
    const acceptable = sdp !== null && this.#plan.acceptsFromPeer(sdp) && (this.#offer !== null || waits);
    const headers = relayedHeaders(response);
    caller.progress(response.status, { headers, ...(acceptable && { content: sdpContent(sdp) }) }, passesOn);
  }

  #answerOffered(sdp: Buffer): void {
    const offered = this.#offered;
    this.#offered = null;
    const answer = this.#plan?.toPeer(sdp);
    if (offered && answer) this.#attempt?.prack(offered, sdpContent(answer));
  }

  async #answered(session: Session, response: SipResponse): Promise<void> {
    const { caller, live, endpoint } = this.#options;
    const plan = this.#plan;
    const at = this.#now;
    const ms = endpoint.timers.now();
    const sdp = sdpOf(response);
    if (plan === null || this.#isOver) return void dismiss(session, response);
    if (sdp !== null && !plan.acceptsFromPeer(sdp)) {
      dismiss(session, response, reasonValue(488, 'Media not acceptable'));
      return this.#attemptEnded({ code: 488, reason: 'Media not acceptable', initiator: 'switch' });
    }
    this.#connected = { at, ms };
    // Early media that the caller has not acknowledged come first.
    const isOpen = await new Promise<boolean>((resolve) => caller.whenAcceptable(resolve));
    const isWanted = isOpen && (await live.answered(at));
    const isDelayed = this.#offer === null && sdp !== null;
    if (!isWanted || this.#isOver || session.isEnded) {
      dismiss(session, response);
      if (!this.#isOver && session.isEnded) this.stop(lost('destination'));
      return;
    }
    const relay = new Relay(plan, {
      ...{ endpoint, hops: this.#hops, sessionUser: this.#sessionUser, nextLeg: () => this.#nextLeg() },
      abandoned: (code, reason) => this.stop({ code, reason, initiator: 'destination' }),
      findReplaced: this.#options.findReplaced,
    });
    this.#relay = relay;
    const accepted = caller.accept(sdp === null ? {} : { content: sdpContent(sdp) }, this.#sessionUser);
    if (accepted === null) {
      dismiss(session, response);
      return void this.#callerGaveUp(false);
    }
    relay.join(accepted, session, this.#offer, sdp);
    // With a delayed offer the ACK of the caller has the answer, and goes end to end.
    if (isDelayed) relay.acknowledgeLater(session, response);
    else session.acknowledge(response);
    accepted.keepAlive(keepAliveMs);
    session.keepAlive(keepAliveMs);
    this.#options.settled();
  }

  async #failed(status: number, reason: string, response: SipResponse | null): Promise<void> {
    const plan = this.#plan;
    this.#attempt = null;
    if (this.#isOver || plan === null) return;
    if (response === null) {
      // Decided here: ringing too long, nobody responded, or nothing could be sent.
      const isRinging = status === 408 && reason === 'Ringing Timeout';
      const failure: Failure = isRinging
        ? { code: ringingTimeoutCode, initiator: 'switch' }
        : { code: status, reason: status === 408 ? 'No response' : reason, initiator: 'switch' };
      return isRinging || !plan.triesNext(status) ? this.#attemptEnded(failure) : this.#dialNext(failure);
    }
    const failure: Failure = { code: status, reason: reason === '' ? phraseOf(status) : reason };
    const isFollowed = this.#plans.follows(plan, response, this.#options.endpoint.targets);
    return isFollowed ? this.#dialNext(failure) : this.#attemptEnded(failure);
  }

  /** The engine decides what follows: the next trunk or carrier, or the end. */
  async #attemptEnded(failure: Failure): Promise<void> {
    if (this.#isOver) return;
    const { live, caller } = this.#options;
    const result = await live.attemptFailed(failure, this.#now);
    if (this.#isOver) return;
    if (result === 'rerouted') return this.#dialAttempt();
    const { code, reason } = live.call.disconnect ?? { code: failure.code, reason: phraseOf(failure.code) };
    this.#finish();
    caller.reject(callerStatus(code), { headers: [reasonHeader(code, reason)] });
  }

  /** CANCEL, or a BYE before the answer; or this end gave up because a reliable response was never acknowledged. */
  #callerGaveUp(isUnacknowledged: boolean): void {
    if (this.#isOver) return;
    const code = isUnacknowledged ? 504 : 487;
    const initiator = isUnacknowledged ? 'switch' : 'origination';
    const disconnect: Disconnect = { code, reason: phraseOf(code), initiator };
    const at = this.#now;
    this.#finish();
    this.#attempt?.cancel(reasonValue(code, disconnect.reason));
    this.#end(disconnect, at);
  }

  readonly #sessionUser: SessionUser = {
    request: (session, transaction) => {
      if (this.#relay) this.#relay.request(session, transaction);
      else transaction.reply(491);
    },
    acknowledged: (session, ack) => this.#relay?.acknowledged(session, ack),
    ended: (session, cause, bye) => {
      const isCaller = this.#relay?.isCaller(session) ?? false;
      if (this.#isOver) return;
      // Hung up from here it is a party of a call that this one was joined with by a transfer: the other side has ended.
      const disconnect = disconnectOf(cause, isCaller === (cause !== 'local') ? 'origination' : 'destination');
      const at = this.#endTime();
      // Between its answer and ours a leg that ends is noticed by `#answered`.
      if (this.#relay === null || this.#relay.survives(session)) return;
      this.#finish();
      const reason = bye?.headers.first('Reason');
      this.#relay.hangUpOther(session, reason ?? reasonValue(disconnect.code, disconnect.reason));
      this.#end(disconnect, at);
    },
  };

  /** Ends both legs without a word to the engine. */
  #takeDown({ code, reason }: Disconnect): void {
    if (this.#isOver) return;
    this.#finish();
    this.#options.caller.reject(callerStatus(code), { headers: [reasonHeader(code, reason)] });
    this.#attempt?.cancel(reasonValue(code, reason));
    this.#relay?.hangUp(reasonValue(code, reason));
  }

  /** So that a step of the machine's clock does not change the duration, it is measured by a clock that is never set. */
  #endTime(): Moment {
    if (this.#connected === null) return this.#now;
    return later(this.#connected.at, (this.#options.endpoint.timers.now() - this.#connected.ms) / 1000);
  }

  #end(disconnect: Disconnect, at: Date): void {
    const { live, endpoint } = this.#options;
    live
      .end(disconnect, at)
      .catch((error) => endpoint.env.log.error({ err: error }, 'the end of a call was not written'));
  }

  #finish(): void {
    this.#isOver = true;
    this.#options.settled();
    this.#options.ended();
  }
}
