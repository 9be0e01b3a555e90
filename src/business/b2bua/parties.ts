/** The two parties of an answered call: their sessions, the legs of their media, and what each has described last. */
import type { MediaLeg } from '../../engines/media/media-engine.ts';
import type { Session } from '../../engines/sip/dialog/session.ts';
import { type CallMedia, isProblem } from './call-media.ts';
import type { DialPlan } from './dial-plan.ts';

export interface Party {
  readonly session: Session;
  readonly leg: MediaLeg;
  /** As it came; null as long as nothing has. */
  described: Buffer | null;
}

export class Parties {
  plan: DialPlan;
  /** After an attended transfer those of the other call, which has this one's party then. */
  media: CallMedia;
  caller: Party;
  callee: Party;

  constructor(plan: DialPlan, media: CallMedia, caller: Party, callee: Party) {
    this.plan = plan;
    this.media = media;
    this.caller = caller;
    this.callee = callee;
  }

  of(session: Session): Party | null {
    return [this.caller, this.callee].find((party) => party.session === session) ?? null;
  }

  other(party: Party): Party {
    return party === this.caller ? this.callee : this.caller;
  }

  /** A description on its way to one of them: the codec rule is the called side's. Null if it must be refused. */
  async passed(kind: 'offer' | 'answer', sdp: Buffer, to: Party): Promise<Buffer | null> {
    const { plan, media } = this;
    const from = this.other(to);
    const wanted = to === this.callee ? plan.toPeer(sdp) : (plan.refusalFromPeer(sdp) ?? sdp);
    if (typeof wanted === 'string') return null;
    const carried = await media[kind](from.leg, to.leg, wanted);
    if (isProblem(carried)) return null;
    from.described = sdp;
    return carried;
  }

  /** The last offer of `from` was refused. */
  refused(from: Party, former: Buffer | null): void {
    from.described = former;
    this.media.refused(from.leg, this.other(from).leg);
  }

  /** After a transfer that has failed the two hear each other again. */
  async agreeAgain(): Promise<void> {
    const { caller, callee } = this;
    if (caller.described === null || callee.described === null) return;
    const offer = await this.passed('offer', caller.described, callee);
    if (offer !== null) await this.passed('answer', callee.described, caller);
  }
}
