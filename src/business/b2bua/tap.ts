/**
 * What can be observed of an environment's SIP: every message, every refused call, every decision. For traces and lists
 * of refusals.
 */

import type { Local } from '../../engines/sip/transport/transport-layer.ts';
import type { Peer } from '../../engines/sip/transport/wire.ts';
import type { Moment } from '../voice/moment.ts';

export interface TappedMessage {
  at: Moment;
  direction: 'in' | 'out';
  /** As this element names itself to the peer; null if it has no wire for it. */
  local: Local | null;
  remote: Peer;
  /** Empty if the message has none. */
  callId: string;
  /** The whole message. It may contain digest responses and phone numbers. */
  bytes: Buffer;
}

/** A request that was refused before it became a call of the engine, or by the engine. */
export interface RefusedRequest {
  at: Moment;
  remote: Peer;
  method: string;
  /** SIP Call-ID of the request. */
  callId: string;
  /** The numbers or users as they came. */
  from: string;
  to: string;
  userAgent: string | null;
  /** The SIP status of the response. */
  code: number;
  /** The rule that did not match, such as `unlisted_source` or `unknown_number`. */
  reason: string;
  text: string;
}

/** A leg of a call: the caller's, or that of an attempt at a trunk or carrier. */
interface TappedLeg {
  /** The id of the call in events and CDRs. */
  call: string;
  /** SIP Call-ID of this leg. */
  callId: string;
  side: 'caller' | 'attempt';
}

/** Every member may be left out. They are called on the path of each message, so they must neither wait nor throw. */
export interface SipTap {
  message?(message: TappedMessage): void;
  refused?(request: RefusedRequest): void;
  leg?(leg: TappedLeg): void;
  /** A routing decision as text, of the call whose caller's leg has this SIP Call-ID. */
  decision?(callId: string, at: Moment, text: string): void;
}

/** Passes everything on to any number of taps. */
export class Taps implements Required<SipTap> {
  readonly #taps = new Set<SipTap>();

  add(tap: SipTap): () => void {
    this.#taps.add(tap);
    return () => this.#taps.delete(tap);
  }

  /** Without a listener messages need not be looked at. */
  get hasListeners(): boolean {
    return this.#taps.size > 0;
  }

  message(message: TappedMessage): void {
    for (const tap of this.#taps) tap.message?.(message);
  }

  refused(request: RefusedRequest): void {
    for (const tap of this.#taps) tap.refused?.(request);
  }

  leg(leg: TappedLeg): void {
    for (const tap of this.#taps) tap.leg?.(leg);
  }

  decision(callId: string, at: Moment, text: string): void {
    for (const tap of this.#taps) tap.decision?.(callId, at, text);
  }
}
