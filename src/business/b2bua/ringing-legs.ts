/**
 * The legs of one attempt that ring at the same time: the contacts of a registered trunk, in most calls a single one.
 * The first acceptable answer gets the call and the other legs are cancelled; the attempt fails when all of them have.
 */
import type { MediaLeg } from '../../engines/media/media-engine.ts';
import type { OutgoingCall } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { phraseOf, ringingTimeoutCode } from '../voice/disconnect-codes.ts';
import type { Failure } from '../voice/live-call.ts';
import type { BridgedMedia } from './bridged-media.ts';
import { isProblem } from './call-media.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import { reasonValue } from './headers.ts';
import { dismiss, ownFailure, withoutTarget } from './legs.ts';
import { placeLeg } from './place-leg.ts';
import { sdpOf } from './sdp.ts';

export interface RingingLeg {
  readonly plan: DialPlan;
  readonly call: OutgoingCall;
  readonly media: MediaLeg;
  /** Nobody else rings, so that its early media and reliable responses can be passed on. */
  readonly isAlone: boolean;
}

export interface FailedLeg {
  readonly plan: DialPlan;
  readonly failure: Failure;
  /** Null for what was decided here: nobody responded, it rang too long, or nothing could be sent. */
  readonly response: SipResponse | null;
}

interface LegsHost {
  endpoint: SipEndpoint;
  media: BridgedMedia;
  /** What the caller offered; null for a delayed offer. */
  offer: Buffer | null;
  hops: number;
  /** The SIP Call-ID of a further leg, which the taps have heard of. */
  nextLeg(): string;
  /** Where a redirection leads to; null if it is not followed. */
  redirection(plan: DialPlan, response: SipResponse): DialPlan | null;
  sessionUser: SessionUser;
}

export interface LegsUser {
  progress(leg: RingingLeg, response: SipResponse): void;
  answered(leg: RingingLeg, session: Session, response: SipResponse): void;
  /** Called once, with the failure that says most. */
  failed(leg: FailedLeg): void;
}

const elsewhere = reasonValue(200, 'Call completed elsewhere');

export class RingingLegs {
  readonly #host: LegsHost;
  readonly #plans: readonly DialPlan[];
  readonly #user: LegsUser;
  readonly #calls = new Map<OutgoingCall, MediaLeg>();
  readonly #failed: FailedLeg[] = [];
  /** Legs that have not failed yet. */
  #left: number;
  #isOver = false;

  constructor(host: LegsHost, plans: readonly DialPlan[], user: LegsUser) {
    this.#host = host;
    this.#plans = plans;
    this.#user = user;
    this.#left = plans.length;
  }

  async start(): Promise<void> {
    await Promise.all(this.#plans.map((plan) => this.#dial(plan)));
  }

  cancel(reason: string): void {
    this.#isOver = true;
    for (const [call, media] of this.#calls) {
      call.cancel(reason);
      this.#host.media.calls.drop(media);
    }
    this.#calls.clear();
  }

  async #dial(plan: DialPlan): Promise<void> {
    const { offer, media: medias } = this.#host;
    const wanted = offer === null ? undefined : plan.toPeer(offer);
    if (typeof wanted === 'string') return this.#undialled(plan, { code: 488, reason: wanted, initiator: 'switch' });
    const targets = await plan.findTargets();
    if (this.#isOver) return;
    if (typeof targets === 'string') return this.#undialled(plan, withoutTarget[targets]);
    const identity = (await plan.identity?.()) ?? [];
    if (this.#isOver) return;
    const media = medias.called(plan);
    const sent = wanted && (await medias.calls.offer(medias.callerOf(plan), media, wanted));
    if (this.#isOver || isProblem(sent)) medias.calls.drop(media);
    if (this.#isOver) return;
    if (isProblem(sent)) return this.#undialled(plan, { ...sent, initiator: 'switch' });
    const { endpoint, hops, nextLeg, sessionUser } = this.#host;
    const leg = { callId: nextLeg(), targets, offer: sent, hops, manualPrack: this.#isAlone };
    const dialled = { ...plan, headers: [...plan.headers, ...identity] };
    const call = placeLeg(
      endpoint,
      this.#isAlone ? dialled : withoutOffers(dialled),
      leg,
      {
        progress: (ringing, response) => {
          if (!this.#isOver) this.#user.progress({ plan, call: ringing, media, isAlone: this.#isAlone }, response);
        },
        answered: (answering, session, response) => this.#answered({ plan, call: answering, media }, session, response),
        failed: (ended, status, reason, response) => this.#refused(plan, ended, status, reason, response),
      },
      sessionUser,
    );
    this.#calls.set(call, media);
  }

  get #isAlone(): boolean {
    return this.#plans.length === 1;
  }

  #answered({ plan, call, media }: Omit<RingingLeg, 'isAlone'>, session: Session, response: SipResponse): void {
    if (this.#isOver) return void dismiss(session, response);
    const sdp = sdpOf(response);
    const refusal = sdp && plan.refusalFromPeer(sdp);
    if (refusal !== null) {
      dismiss(session, response, reasonValue(488, refusal));
      this.#leave(call);
      const failure: Failure = { code: 488, reason: refusal, initiator: 'switch' };
      return void this.#legFailed({ plan: { ...plan, triesNext: () => false }, failure, response: null });
    }
    this.#calls.delete(call);
    this.cancel(elsewhere);
    this.#user.answered({ plan, call, media, isAlone: this.#isAlone }, session, response);
  }

  #refused(plan: DialPlan, call: OutgoingCall, status: number, reason: string, response: SipResponse | null): void {
    this.#leave(call);
    if (this.#isOver) return;
    if (response === null) return void this.#legFailed({ plan, failure: ownFailure(status, reason), response });
    const next = status < 400 ? this.#host.redirection(plan, response) : null;
    if (next !== null) return void this.#dial(next).catch((error) => this.#broken(plan, error));
    const failure: Failure = { code: status, reason: reason === '' ? phraseOf(status) : reason };
    this.#legFailed({ plan, failure, response });
  }

  #leave(call: OutgoingCall): void {
    const media = this.#calls.get(call);
    this.#calls.delete(call);
    if (media !== undefined) this.#host.media.calls.drop(media);
  }

  #broken(plan: DialPlan, error: unknown): void {
    this.#host.endpoint.env.log.error({ err: error }, 'a redirection could not be followed');
    this.#undialled(plan, withoutTarget.unresolved);
  }

  /** Nothing was sent, so whatever is next is tried. */
  #undialled(plan: DialPlan, failure: Failure): void {
    this.#legFailed({ plan: { ...plan, triesNext: () => true }, failure, response: null });
  }

  #legFailed(leg: FailedLeg): void {
    this.#failed.push(leg);
    this.#left -= 1;
    const isFinal = leg.response !== null && leg.failure.code >= 600;
    if (this.#isOver || (this.#left > 0 && !isFinal)) return;
    this.cancel(reasonValue(leg.failure.code, leg.failure.reason ?? ''));
    const [first = leg] = this.#failed.toSorted((one, other) => rankOf(one) - rankOf(other));
    this.#user.failed(first);
  }
}

/** An offer in a reliable response would need an answer of the caller, who can give it to one leg only. */
const withoutOffers = (plan: DialPlan): DialPlan =>
  plan.reliable === 'supported' ? { ...plan, reliable: 'off' } : plan;

/**
 * The lower the more it says: 6xx speaks for all phones, then "rang in vain" and "busy", last what nobody has answered
 * at all.
 */
function rankOf({ failure: { code }, response }: FailedLeg): number {
  if (code === ringingTimeoutCode) return 1;
  if (response === null) return 6;
  if (code >= 600) return 0;
  if (code === 486) return 2;
  return code >= 400 && code < 500 ? 3 : code >= 500 ? 4 : 5;
}
