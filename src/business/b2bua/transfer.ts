/**
 * A transfer in progress: the called side of an answered call asked with REFER that another address, or the party of
 * another call of its own, takes its place. The new leg is offered the caller's media; once it has answered, the caller
 * gets its media by re-INVITE. The sender of the REFER is told of the progress with NOTIFY (RFC 3515), and stays in the
 * call if the transfer fails.
 */
import type { MediaLeg } from '../../engines/media/media-engine.ts';
import type { OutgoingCall, OutgoingUser } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { statusReason } from '../../engines/sip/message/status.ts';
import { type CallMedia, isProblem } from './call-media.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import { reasonValue } from './headers.ts';
import { dismiss } from './legs.ts';
import { reinvited } from './new-offers.ts';
import type { Party } from './parties.ts';
import { placeLeg } from './place-leg.ts';
import type { ReplacedCall } from './replaced-call.ts';
import { describesSameMedia, sdpContent, sdpOf, withoutHold } from './sdp.ts';

/** What a transfer needs of the call that it belongs to. */
export interface TransferHost {
  endpoint: SipEndpoint;
  /** The SIP Call-ID of a further leg, which the taps have heard of. */
  nextLeg(): string;
  /** What is left of the hops of the call. */
  hops: number;
  sessionUser: SessionUser;
}

interface TransferWishes {
  plan: DialPlan;
  media: CallMedia;
  caller: Party;
  referrer: Session;
  /** False if the sender of the REFER does not want to be told (RFC 4488). */
  notifies: boolean;
  /** An attended transfer between two calls of this process: the other call, whose party becomes the new leg. */
  replaced: ReplacedCall | null;
}

interface TransferUser {
  /** The new leg and the caller agree on their media. */
  joined(party: Party): void;
  failed(status: number, reason: string): void;
}

export class Transfer {
  readonly #host: TransferHost;
  readonly #wishes: TransferWishes;
  readonly #user: TransferUser;
  #call: OutgoingCall | null = null;
  /** The leg that was dialled, once it has answered. */
  #session: Session | null = null;
  readonly #leg: MediaLeg;
  /** What the caller had described before; null if that is not known. */
  readonly #callerMedia: Buffer | null;
  #isOver = false;

  constructor(host: TransferHost, wishes: TransferWishes, user: TransferUser) {
    this.#host = host;
    this.#wishes = wishes;
    this.#user = user;
    const { plan, media, replaced, caller } = wishes;
    this.#leg = media.leg('transferred side', replaced?.settings ?? plan.media);
    this.#callerMedia = caller.described;
  }

  async start(): Promise<void> {
    const { plan, media, caller, replaced } = this.#wishes;
    const { endpoint, hops, nextLeg, sessionUser } = this.#host;
    this.#notify(100);
    const wanted = this.#callerMedia === null ? undefined : plan.toPeer(withoutHold(this.#callerMedia));
    if (typeof wanted === 'string') return this.#fail(488, wanted);
    const targets = replaced === null ? await plan.findTargets() : [];
    if (this.#isOver) return;
    if (typeof targets === 'string') return this.#fail(targets === 'forbidden' ? 403 : 503);
    const offer = wanted && (await media.offer(caller.leg, this.#leg, wanted));
    if (this.#isOver) return;
    if (isProblem(offer)) return this.#fail(offer.code, offer.reason);
    if (replaced !== null) return this.#inviteParty(replaced.session, offer);
    this.#call = placeLeg(
      endpoint,
      plan,
      { callId: nextLeg(), targets, offer, hops, manualPrack: true },
      this.#legUser,
      sessionUser,
    );
  }

  #inviteParty(party: Session, offer: Buffer | undefined): void {
    party.reinvite({ content: offer && sdpContent(offer) }, (response) => {
      if (response === null || response.status >= 300) return void this.#fail(response?.status ?? 408);
      if (this.#isOver) party.acknowledge(response);
      else this.#take(party, response);
    });
  }

  /** The call ends, or the transfer is not wanted any more. */
  cancel(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call?.cancel(reason);
    this.#letGo(reason);
  }

  /** The new leg has ended before it was joined. */
  legEnded(session: Session): void {
    if (session === this.#session) this.#fail(480);
  }

  readonly #legUser: OutgoingUser = {
    progress: (call, response) => {
      if (response.headers.lists('Require', '100rel') && response.headers.has('RSeq')) call.prack(response);
      if (!this.#isOver) this.#notify(response.status, response.reason);
    },
    answered: (_call, session, response) => {
      if (this.#isOver) dismiss(session, response);
      else this.#take(session, response);
    },
    failed: (_call, status, reason) => this.#fail(status, reason),
  };

  #take(session: Session, response: SipResponse): void {
    this.#answered(session, response).catch((error: unknown) => {
      this.#host.endpoint.env.log.error({ err: error }, 'a transfer failed');
      this.#fail(500);
    });
  }

  /** The new leg's answer is an offer to the caller. What it offered itself waits for the caller's answer. */
  async #answered(session: Session, response: SipResponse): Promise<void> {
    const { plan, media, caller, replaced } = this.#wishes;
    const described = sdpOf(response);
    if (replaced === null) this.#session = session;
    // The rule for media of the called side does not concern a party that called or was called elsewhere.
    const refusal = described === null ? 'No session description' : replaced ? null : plan.refusalFromPeer(described);
    if (described === null || refusal !== null) {
      session.acknowledge(response);
      return this.#fail(488, refusal ?? undefined);
    }
    const isOffer = this.#callerMedia === null;
    if (!isOffer) session.acknowledge(response);
    const agreed = isOffer ? undefined : await media.answer(this.#leg, caller.leg, described);
    const offer = isProblem(agreed) ? agreed : await media.offer(this.#leg, caller.leg, described);
    if (this.#isOver || isProblem(offer)) {
      if (isOffer) session.acknowledge(response);
      if (isProblem(offer)) this.#fail(offer.code, offer.reason);
      return;
    }
    const answer = await reinvited(caller.session, offer);
    if (answer !== null && answer.status < 300) caller.session.acknowledge(answer);
    const answered = answer === null || answer.status >= 300 ? null : sdpOf(answer);
    const wanted = answered && plan.toPeer(answered);
    const carried =
      wanted === null || typeof wanted === 'string' ? null : await media.answer(caller.leg, this.#leg, wanted);
    const passed = Buffer.isBuffer(carried) ? carried : null;
    if (isOffer) session.acknowledge(response, passed ? sdpContent(passed) : undefined);
    if (this.#isOver) return;
    if (passed === null || answered === null || session.isEnded) return this.#fail(488);
    caller.described = answered;
    this.#join({ session, leg: this.#leg, described }, passed, answered);
  }

  #join(party: Party, passed: Buffer, answered: Buffer): void {
    const { media, caller, referrer, replaced } = this.#wishes;
    const { session } = party;
    this.#isOver = true;
    this.#user.joined(party);
    replaced?.joinedBy({ media, party, other: caller });
    this.#notify(200, undefined, () => referrer.hangUp({ headers: [['Reason', reasonValue(200, 'Transferred')]] }));
    // A caller that answers with another port than it had is described to the new leg once more.
    if (this.#callerMedia === null || describesSameMedia(this.#callerMedia, answered)) return;
    session.reinvite({ content: sdpContent(passed) }, (response) => {
      if (response && response.status < 300) session.acknowledge(response);
    });
  }

  #fail(status: number, reason = statusReason(status)): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#letGo(reasonValue(status, reason));
    this.#notify(status, reason);
    this.#user.failed(status, reason);
  }

  /** What was dialled is hung up; a party of another call goes on with that call. */
  #letGo(reason: string): void {
    this.#session?.hangUp({ headers: [['Reason', reason]] });
    this.#wishes.media.drop(this.#leg);
    this.#wishes.replaced?.restore();
  }

  /** The status of the new leg as a message fragment (RFC 3420). A final one ends the subscription. */
  #notify(status: number, reason = statusReason(status), told: () => void = () => undefined): void {
    const { referrer, notifies } = this.#wishes;
    if (referrer.isEnded) return;
    if (!notifies) {
      told();
      return;
    }
    const headers = [
      ['Event', 'refer'],
      ['Subscription-State', status < 200 ? 'active;expires=180' : 'terminated;reason=noresource'],
      ['Contact', referrer.dialog.contact],
    ] as const;
    const content = { type: 'message/sipfrag;version=2.0', body: Buffer.from(`SIP/2.0 ${status} ${reason}\r\n`) };
    referrer.send('NOTIFY', { headers, content }, told);
  }
}
