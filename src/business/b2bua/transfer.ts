/**
 * A transfer in progress: the called side of an answered call asked with REFER that another address, or the party of
 * another call of its own, takes its place. The new leg is offered the caller's media; once it has answered, the caller
 * gets its media by re-INVITE. The sender of the REFER is told of the progress with NOTIFY (RFC 3515), and stays in the
 * call if the transfer fails.
 */
import type { OutgoingCall, OutgoingUser } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { statusReason } from '../../engines/sip/message/status.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import { reasonValue } from './headers.ts';
import { dismiss } from './legs.ts';
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
  caller: Session;
  /** What the caller described last; null if that is not known. */
  callerMedia: Buffer | null;
  referrer: Session;
  /** False if the sender of the REFER does not want to be told (RFC 4488). */
  notifies: boolean;
  /** An attended transfer between two calls of this process: the other call, whose party becomes the new leg. */
  replaced: ReplacedCall | null;
}

interface TransferUser {
  /** The new leg and the caller agree on their media. */
  joined(session: Session, plan: DialPlan, media: Buffer | null): void;
  failed(status: number, reason: string): void;
}

export class Transfer {
  readonly #host: TransferHost;
  readonly #wishes: TransferWishes;
  readonly #user: TransferUser;
  #call: OutgoingCall | null = null;
  /** The leg that was dialled, once it has answered. */
  #session: Session | null = null;
  #isOver = false;

  constructor(host: TransferHost, wishes: TransferWishes, user: TransferUser) {
    this.#host = host;
    this.#wishes = wishes;
    this.#user = user;
  }

  async start(): Promise<void> {
    const { plan, callerMedia, replaced } = this.#wishes;
    const { endpoint, hops, nextLeg, sessionUser } = this.#host;
    this.#notify(100);
    const offer = callerMedia === null ? undefined : plan.toPeer(withoutHold(callerMedia));
    if (typeof offer === 'string') return this.#fail(488, offer);
    if (replaced !== null) return this.#inviteParty(replaced.session, offer);
    const targets = await plan.findTargets();
    if (this.#isOver) return;
    if (typeof targets === 'string') return this.#fail(targets === 'forbidden' ? 403 : 503);
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
      else this.#answered(party, response);
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
      else this.#answered(session, response);
    },
    failed: (_call, status, reason) => this.#fail(status, reason),
  };

  /** The new leg's answer is an offer to the caller. What it offered itself waits for the caller's answer. */
  #answered(session: Session, response: SipResponse): void {
    const { plan, caller, callerMedia, replaced } = this.#wishes;
    const media = sdpOf(response);
    if (replaced === null) this.#session = session;
    // The rule for media of the called side does not concern a party that called or was called elsewhere.
    const refusal = media === null ? 'No session description' : replaced ? null : plan.refusalFromPeer(media);
    if (media === null || refusal !== null) {
      session.acknowledge(response);
      return void this.#fail(488, refusal ?? undefined);
    }
    const isOffer = callerMedia === null;
    if (!isOffer) session.acknowledge(response);
    caller.reinvite({ content: sdpContent(media) }, (answer) => {
      if (answer !== null && answer.status < 300) caller.acknowledge(answer);
      const answered = answer === null || answer.status >= 300 ? null : sdpOf(answer);
      const changed = answered && plan.toPeer(answered);
      const passed = typeof changed === 'string' ? null : changed;
      if (isOffer) session.acknowledge(response, passed ? sdpContent(passed) : undefined);
      if (this.#isOver) return;
      if (passed === null || answered === null || session.isEnded) return void this.#fail(488);
      this.#join(session, passed, answered, isOffer);
    });
  }

  #join(session: Session, passed: Buffer, answered: Buffer, isAgreed: boolean): void {
    const { plan, caller, callerMedia, referrer, replaced } = this.#wishes;
    this.#isOver = true;
    this.#user.joined(session, plan, answered);
    replaced?.joinedBy(caller);
    this.#notify(200, undefined, () => referrer.hangUp({ headers: [['Reason', reasonValue(200, 'Transferred')]] }));
    // A caller that answers with another port than it had is described to the new leg once more.
    if (isAgreed || callerMedia === null || describesSameMedia(callerMedia, answered)) return;
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
