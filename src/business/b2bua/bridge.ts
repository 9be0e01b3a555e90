/**
 * One call with its two legs: the caller's, and one attempt after another at trunks or carriers. It reports to the call
 * engine what happened to the legs, and does what the engine says.
 */
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import type { Disconnect } from '../voice/call.ts';
import { phraseOf } from '../voice/disconnect-codes.ts';
import type { Failure } from '../voice/live-call.ts';
import { AttemptPlans } from './attempt-plans.ts';
import type { BridgeOptions } from './bridge-options.ts';
import { BridgedMedia } from './bridged-media.ts';
import { CallClock } from './call-clock.ts';
import { isProblem, retryHeader } from './call-media.ts';
import type { DialPlan } from './dial-plan.ts';
import { EarlyMedia } from './early-media.ts';
import { storedDialog } from './forsaken-legs.ts';
import { callerStatus, challengesIn, reasonHeader, reasonValue } from './headers.ts';
import { disconnectOf, dismiss, keepAlive } from './legs.ts';
import type { MediaProblem } from './media-refusals.ts';
import { Meter } from './meter.ts';
import { Parties, type Party } from './parties.ts';
import { inTime } from './patience.ts';
import { Relay } from './relay.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { type FailedLeg, type LegsUser, type RingingLeg, RingingLegs } from './ringing-legs.ts';
import { sdpContent, sdpOf } from './sdp.ts';

export class Bridge {
  readonly #options: BridgeOptions;
  /** What the caller offered; null for a delayed offer. */
  readonly #offer: Buffer | null;
  /** The legs that ring now, and how to dial those that follow if they fail. */
  #ringing: RingingLegs | null = null;
  #plans = new AttemptPlans([]);
  #relay: Relay | null = null;
  #media: BridgedMedia | null = null;
  #early: EarlyMedia | null = null;
  readonly #clock: CallClock;
  /** How the last leg refused; its challenge is passed on to the caller. */
  #refusal: SipResponse | null = null;
  #meter: Meter | null = null;
  #isOver = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#clock = new CallClock(options.endpoint);
    this.#offer = sdpOf(options.caller.transaction.request);
  }

  /** Dials the first attempt, unless the caller has given up meanwhile. Never rejects: what fails ends the call. */
  async start(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  async #begin(): Promise<void> {
    const { caller, live } = this.#options;
    live.carriedBy({ hangUp: (disconnect) => this.#takeDown(disconnect) });
    caller.watch({
      cancelled: (_call, request) => this.#callerGaveUp(request === null),
      request: (_call, transaction) => {
        const { request } = transaction;
        const sdp = sdpOf(request);
        if (request.method === 'PRACK' && sdp !== null) this.#early?.acknowledged(sdp);
        // A new offer before the answer would have to be agreed with a leg that may still change.
        const status = request.method === 'UPDATE' && sdp !== null ? 488 : 200;
        transaction.reply(status, undefined, { Contact: caller.dialog.contact });
      },
    });
    if (caller.isOver) return this.#callerGaveUp(false);
    const media = BridgedMedia.open(this.#options, {
      end: (disconnect) => this.stop(disconnect),
      keyPressed: (leg, press) => this.#relay?.keyPressed(leg, press),
    });
    if ('code' in media) return this.#refuseWithoutMedia(media);
    this.#media = media;
    this.#early = new EarlyMedia({
      ...{ caller, media, isDelayed: this.#offer === null, isOver: () => this.#isOver },
      ringing: (options) => live.ringing(options),
      failed: (error) => this.#giveUp(error),
    });
    await this.#dialAttempt(media);
  }

  #refuseWithoutMedia({ code, reason }: MediaProblem): void {
    this.#options.live.note(`media: ${reason}`);
    this.#options.caller.reject(code, { headers: [reasonHeader(code, reason), retryHeader] });
    this.stop({ code, reason, initiator: 'switch' });
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

  async #dialAttempt(media: BridgedMedia): Promise<void> {
    try {
      const planned = await this.#options.plan();
      if (this.#isOver) return;
      this.#plans = new AttemptPlans('code' in planned ? [] : planned);
      await this.#dialNext(media, 'code' in planned ? planned : { code: 503, initiator: 'switch' });
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
  async #dialNext(media: BridgedMedia, failure: Failure): Promise<void> {
    const plans = this.#plans.next();
    if (plans === undefined) return this.#attemptEnded(media, failure);
    const { endpoint } = this.#options;
    const host = {
      ...{ endpoint, media, offer: this.#offer, hops: this.#hops, sessionUser: this.#sessionUser },
      nextLeg: () => this.#nextLeg(),
      redirection: (plan: DialPlan, response: SipResponse) => this.#plans.redirection(plan, response, endpoint.targets),
    };
    this.#ringing = new RingingLegs(host, plans, this.#legsUser(media));
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

  readonly #legsUser = (media: BridgedMedia): LegsUser => ({
    progress: (leg, response) => this.#early?.progress(leg, response),
    answered: (leg, session, response) => {
      const dismissAnswer = () => dismiss(session, response);
      this.#answered(media, leg, session, response).catch((error) => this.#giveUp(error, dismissAnswer));
    },
    failed: (leg) => void this.#failed(media, leg).catch((error) => this.#giveUp(error)),
  });

  async #answered(media: BridgedMedia, leg: RingingLeg, session: Session, response: SipResponse): Promise<void> {
    const { caller, live, endpoint } = this.#options;
    const { now: at, ms } = this.#clock;
    const sdp = sdpOf(response);
    if (this.#isOver) return void dismiss(session, response);
    this.#clock.connected(at, ms);
    await this.#early?.passed;
    // Early media that the caller has not acknowledged come first.
    const isOpen = await new Promise<boolean>((resolve) => caller.whenAcceptable(resolve));
    await this.#early?.passed;
    const isDelayed = this.#offer === null && sdp !== null;
    const callerLeg = media.callerOf(leg.plan);
    const described =
      isOpen && sdp ? await media.calls[isDelayed ? 'offer' : 'answer'](leg.media, callerLeg, sdp) : undefined;
    const dialogs = [caller.dialog, session.dialog].map(storedDialog);
    const isWanted =
      isOpen &&
      !this.#isOver &&
      !isProblem(described) &&
      (await inTime(endpoint.timers, live.answered(at, { callId: leg.call.callId, dialogs })));
    if (!isWanted || this.#isOver || session.isEnded) {
      dismiss(session, response);
      if (this.#isOver) return;
      if (isProblem(described)) this.stop({ ...described, initiator: 'switch' });
      else if (session.isEnded) this.stop(disconnectOf('remote', 'destination'));
      return;
    }
    const accepted = caller.accept(
      described === undefined ? {} : { content: sdpContent(described) },
      this.#sessionUser,
    );
    if (accepted === null) {
      dismiss(session, response);
      return void this.#callerGaveUp(false);
    }
    const relay = this.#join(media, leg, accepted, session, sdp);
    // With a delayed offer the ACK of the caller has the answer, and goes end to end.
    if (isDelayed) relay.acknowledgeLater(session, response);
    else session.acknowledge(response);
    keepAlive(accepted);
    keepAlive(session);
    media.answered();
    this.#meter = new Meter(endpoint.timers, live, ms, (cut) => this.stop(cut));
    this.#options.settled();
  }

  #join(media: BridgedMedia, leg: RingingLeg, accepted: Session, session: Session, sdp: Buffer | null): Relay {
    const { endpoint, findReplaced } = this.#options;
    const caller: Party = { session: accepted, leg: media.callerOf(leg.plan), described: this.#offer };
    const callee: Party = { session, leg: leg.media, described: sdp };
    this.#relay = new Relay(new Parties(leg.plan, media.calls, caller, callee), {
      ...{ endpoint, findReplaced, hops: this.#hops, sessionUser: this.#sessionUser },
      nextLeg: () => this.#nextLeg(),
      abandoned: (code, reason) => this.stop({ code, reason, initiator: 'destination' }),
      mediaLeft: () => media.close(),
    });
    return this.#relay;
  }

  async #failed(media: BridgedMedia, leg: FailedLeg): Promise<void> {
    this.#refusal = leg.response;
    if (this.#isOver) return;
    return this.#plans.goesOn(leg) ? this.#dialNext(media, leg.failure) : this.#attemptEnded(media, leg.failure);
  }

  /** The engine decides what follows: the next trunk or carrier, or the end. */
  async #attemptEnded(media: BridgedMedia, failure: Failure): Promise<void> {
    if (this.#isOver) return;
    const { live, caller, endpoint } = this.#options;
    const result = await inTime(endpoint.timers, live.attemptFailed(failure, this.#clock.now));
    if (this.#isOver) return;
    if (result === 'rerouted') return this.#dialAttempt(media);
    const { code, reason } = live.call.disconnect ?? { code: failure.code, reason: phraseOf(failure.code) };
    this.#finish();
    const more = media.wasUnavailable && code === 503 ? [retryHeader] : challengesIn(this.#refusal, code);
    caller.reject(callerStatus(code), { headers: [reasonHeader(code, reason), ...more] });
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
      // Hung up from here it is a party of a call that a transfer has joined with this one: the other side has ended.
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

  /** Ends both legs of a call that was ended elsewhere. */
  #takeDown(disconnect: Disconnect): void {
    if (this.#isOver) return;
    const { code, reason } = disconnect;
    this.#finish();
    this.#options.caller.reject(callerStatus(code), { headers: [reasonHeader(code, reason)] });
    this.#ringing?.cancel(reasonValue(code, reason));
    this.#relay?.hangUp(reasonValue(code, reason));
    this.#end(disconnect, this.#clock.endTime());
  }

  #end(disconnect: Disconnect, at: Date): void {
    const { endpoint, live } = this.#options;
    const failed = (error: unknown) => endpoint.env.log.error({ err: error }, 'the end of a call was not written');
    live.end(disconnect, at, this.#media?.heard() ?? Promise.resolve(null)).catch(failed);
  }

  #finish(): void {
    this.#isOver = true;
    this.#meter?.stop();
    this.#media?.close();
    this.#options.settled();
    this.#options.ended();
  }
}
