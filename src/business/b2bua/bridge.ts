/**
 * One call with its two legs: the caller's, and one attempt after another at trunks or carriers. It reports to the call
 * engine what happened to the legs, and does what the engine says.
 */
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { OutgoingCall } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import type { Disconnect } from '../voice/call.ts';
import { phraseOf } from '../voice/disconnect-codes.ts';
import type { Failure } from '../voice/live-call.ts';
import { AttemptPlans } from './attempt-plans.ts';
import type { BridgeOptions } from './bridge-options.ts';
import { CallClock } from './call-clock.ts';
import type { DialPlan } from './dial-plan.ts';
import { storedDialog } from './forsaken-legs.ts';
import { callerStatus, challengesIn, reasonHeader, reasonValue } from './headers.ts';
import { disconnectOf, dismiss, keepAlive, relayedHeaders } from './legs.ts';
import { Meter } from './meter.ts';
import { inTime } from './patience.ts';
import { Relay } from './relay.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { type FailedLeg, type RingingLeg, RingingLegs } from './ringing-legs.ts';
import { sdpContent, sdpOf } from './sdp.ts';

export class Bridge {
  readonly #options: BridgeOptions;
  /** What the caller offered; null for a delayed offer. */
  readonly #offer: Buffer | null;
  /** The legs that ring now, and how to dial those that follow if they fail. */
  #ringing: RingingLegs | null = null;
  #plans = new AttemptPlans([]);
  /** A reliable provisional response with an offer, whose answer comes in the caller's PRACK. */
  #offered: { plan: DialPlan; call: OutgoingCall; response: SipResponse } | null = null;
  #relay: Relay | null = null;
  readonly #clock: CallClock;
  /** How the last leg refused: a challenge of its is the caller's as well. */
  #refusal: SipResponse | null = null;
  #meter: Meter | null = null;
  #isOver = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#clock = new CallClock(options.endpoint);
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
    const at = this.#clock.endTime();
    this.#takeDown(disconnect);
    this.#end(disconnect, at);
  }

  /** This call, if its customer's leg has this dialog and it belongs to the account: for an attended transfer. */
  replaced(dialog: string, accountId: string): ReplacedCall | null {
    const { accountId: owner, direction } = this.#options.live.call;
    if (this.#isOver || owner !== accountId) return null;
    return this.#relay?.replaced(dialog, direction === 'in' ? 'callee' : 'caller') ?? null;
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
  #giveUp(error: unknown, dismissAnswer?: () => void): void {
    if (this.#relay === null) dismissAnswer?.();
    const away = isUnavailable(error);
    if (!away) this.#options.endpoint.env.log.error({ err: error }, 'a call could not be carried on');
    const code = away ? 503 : 500;
    this.stop({ code, reason: phraseOf(code), initiator: 'switch' });
  }

  /** Dials what comes next in this attempt; if that is nothing, the attempt has failed. */
  async #dialNext(failure: Failure): Promise<void> {
    const plans = this.#plans.next();
    if (plans === undefined) return this.#attemptEnded(failure);
    const { endpoint } = this.#options;
    const host = {
      ...{ endpoint, offer: this.#offer, hops: this.#hops, sessionUser: this.#sessionUser },
      nextLeg: () => this.#nextLeg(),
      redirection: (plan: DialPlan, response: SipResponse) => this.#plans.redirection(plan, response, endpoint.targets),
    };
    this.#ringing = new RingingLegs(host, plans, this.#legsUser);
    await this.#ringing.start();
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

  readonly #legsUser: ConstructorParameters<typeof RingingLegs>[2] = {
    progress: (leg, response) => this.#progress(leg, response),
    answered: (leg, session, response) => {
      this.#answered(leg, session, response).catch((error) => this.#giveUp(error, () => dismiss(session, response)));
    },
    failed: (leg) => void this.#failed(leg).catch((error) => this.#giveUp(error)),
  };

  /**
   * Every 18x is relayed, with its description of early media. It is sent reliably where both sides can. While several
   * legs ring, the caller hears none of them: the one that answers may describe its media otherwise.
   */
  #progress({ plan, call, isAlone }: RingingLeg, response: SipResponse): void {
    if (this.#isOver) return;
    const { caller, live } = this.#options;
    const sdp = isAlone ? sdpOf(response) : null;
    const isReliable = isAlone && response.headers.lists('Require', '100rel') && response.headers.has('RSeq');
    const passesOn = isReliable && caller.peerSupportsReliable;
    // With a delayed offer the caller's PRACK has the answer for this leg's.
    const waits = passesOn && sdp !== null && this.#offer === null;
    if (waits) this.#offered = { plan, call, response };
    else if (isReliable) call.prack(response);
    live.ringing({ earlyMedia: sdp !== null });
    const acceptable = sdp !== null && plan.refusalFromPeer(sdp) === null && (this.#offer !== null || waits);
    const headers = relayedHeaders(response);
    caller.progress(response.status, { headers, ...(acceptable && { content: sdpContent(sdp) }) }, passesOn);
  }

  #answerOffered(sdp: Buffer): void {
    const offered = this.#offered;
    this.#offered = null;
    const answer = offered?.plan.toPeer(sdp);
    if (offered && answer && typeof answer !== 'string') offered.call.prack(offered.response, sdpContent(answer));
  }

  async #answered({ plan, call }: RingingLeg, session: Session, response: SipResponse): Promise<void> {
    const { caller, live, endpoint } = this.#options;
    const { now: at, ms } = this.#clock;
    const sdp = sdpOf(response);
    if (this.#isOver) return void dismiss(session, response);
    this.#clock.connected(at, ms);
    // Early media that the caller has not acknowledged come first.
    const isOpen = await new Promise<boolean>((resolve) => caller.whenAcceptable(resolve));
    const leg = { callId: call.callId, dialogs: [caller.dialog, session.dialog].map(storedDialog) };
    const isWanted = isOpen && (await inTime(endpoint.timers, live.answered(at, leg)));
    const isDelayed = this.#offer === null && sdp !== null;
    if (!isWanted || this.#isOver || session.isEnded) {
      dismiss(session, response);
      if (!this.#isOver && session.isEnded) this.stop(disconnectOf('remote', 'destination'));
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
    keepAlive(accepted);
    keepAlive(session);
    this.#meter = new Meter(endpoint.timers, live, ms, (cut) => this.stop(cut));
    this.#options.settled();
  }

  async #failed(leg: FailedLeg): Promise<void> {
    this.#refusal = leg.response;
    if (this.#isOver) return;
    return this.#plans.goesOn(leg) ? this.#dialNext(leg.failure) : this.#attemptEnded(leg.failure);
  }

  /** The engine decides what follows: the next trunk or carrier, or the end. */
  async #attemptEnded(failure: Failure): Promise<void> {
    if (this.#isOver) return;
    const { live, caller, endpoint } = this.#options;
    const result = await inTime(endpoint.timers, live.attemptFailed(failure, this.#clock.now));
    if (this.#isOver) return;
    if (result === 'rerouted') return this.#dialAttempt();
    const { code, reason } = live.call.disconnect ?? { code: failure.code, reason: phraseOf(failure.code) };
    this.#finish();
    const challenges = challengesIn(this.#refusal, code);
    caller.reject(callerStatus(code), { headers: [reasonHeader(code, reason), ...challenges] });
  }

  /** CANCEL, or a BYE before the answer; or this end gave up because a reliable response was never acknowledged. */
  #callerGaveUp(isUnacknowledged: boolean): void {
    if (this.#isOver) return;
    const [code, initiator] = isUnacknowledged ? ([504, 'switch'] as const) : ([487, 'origination'] as const);
    const disconnect: Disconnect = { code, reason: phraseOf(code), initiator };
    const at = this.#clock.now;
    this.#finish();
    this.#ringing?.cancel(reasonValue(code, disconnect.reason));
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
      // Hung up from here it is a party of a call that this one was joined with by a transfer: the other side has
      // ended.
      const disconnect = disconnectOf(cause, isCaller === (cause !== 'local') ? 'origination' : 'destination');
      // Whoever vanished may have done so long before it was noticed.
      const at = this.#clock.endTime(disconnect.code === 408 ? this.#relay?.heardAt : undefined);
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
    this.#ringing?.cancel(reasonValue(code, reason));
    this.#relay?.hangUp(reasonValue(code, reason));
  }

  #end(disconnect: Disconnect, at: Date): void {
    const { log } = this.#options.endpoint.env;
    const failed = (error: unknown) => log.error({ err: error }, 'the end of a call was not written');
    this.#options.live.end(disconnect, at).catch(failed);
  }

  #finish(): void {
    this.#isOver = true;
    this.#meter?.stop();
    this.#options.settled();
    this.#options.ended();
  }
}
