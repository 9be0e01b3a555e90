/** Provisional responses on their way to the caller, with descriptions of early media, in the order they came in. */
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import type { BridgedMedia } from './bridged-media.ts';
import { relayedHeaders } from './legs.ts';
import type { RingingLeg } from './ringing-legs.ts';
import { sdpContent, sdpOf } from './sdp.ts';

interface EarlyMediaHost {
  caller: IncomingCall;
  media: BridgedMedia;
  /** With a delayed offer the called side makes one. */
  isDelayed: boolean;
  isOver(): boolean;
  ringing(options: { earlyMedia: boolean }): void;
  failed(error: unknown): void;
}

export class EarlyMedia {
  readonly #host: EarlyMediaHost;
  /** A reliable provisional response with an offer, whose answer comes in the caller's PRACK. */
  #offered: { leg: RingingLeg; response: SipResponse } | null = null;
  #turn: Promise<void> = Promise.resolve();

  constructor(host: EarlyMediaHost) {
    this.#host = host;
  }

  /** Resolves once everything received so far is passed on; the media engine may take a moment. */
  get passed(): Promise<void> {
    return this.#turn;
  }

  progress(leg: RingingLeg, response: SipResponse): void {
    this.#inTurn(() => this.#pass(leg, response));
  }

  /** The caller's PRACK has a description. */
  acknowledged(sdp: Buffer): void {
    const offered = this.#offered;
    this.#offered = null;
    if (offered !== null) this.#inTurn(() => this.#answer(offered.leg, offered.response, sdp));
  }

  #inTurn(step: () => Promise<void>): void {
    this.#turn = this.#turn.then(step).catch((error: unknown) => this.#host.failed(error));
  }

  /**
   * Every 18x is relayed. It is sent reliably where both sides can. While several legs ring, the caller hears none of
   * them: the one that answers may describe its media otherwise.
   */
  async #pass(leg: RingingLeg, response: SipResponse): Promise<void> {
    const { caller, media, isDelayed, isOver, ringing } = this.#host;
    if (isOver()) return;
    const { plan, call, isAlone } = leg;
    const sdp = isAlone ? sdpOf(response) : null;
    const isReliable = isAlone && response.headers.lists('Require', '100rel') && response.headers.has('RSeq');
    const passesOn = isReliable && caller.peerSupportsReliable;
    // With a delayed offer the caller's PRACK has the answer for this leg's.
    const waits = passesOn && sdp !== null && isDelayed;
    if (waits) this.#offered = { leg, response };
    else if (isReliable) call.prack(response);
    ringing({ earlyMedia: sdp !== null });
    const acceptable = sdp !== null && plan.refusalFromPeer(sdp) === null && (!isDelayed || waits);
    const kind = waits ? 'offer' : 'answer';
    const described = acceptable ? await media.calls[kind](leg.media, media.callerOf(plan), sdp) : null;
    if (isOver()) return;
    const content = Buffer.isBuffer(described) ? { content: sdpContent(described) } : {};
    caller.progress(response.status, { headers: relayedHeaders(response), ...content }, passesOn);
  }

  async #answer({ plan, call, media: leg }: RingingLeg, response: SipResponse, sdp: Buffer): Promise<void> {
    const { media } = this.#host;
    const wanted = plan.toPeer(sdp);
    if (typeof wanted === 'string') return;
    const passed = await media.calls.answer(media.callerOf(plan), leg, wanted);
    if (Buffer.isBuffer(passed)) call.prack(response, sdpContent(passed));
  }
}
