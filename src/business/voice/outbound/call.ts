/** One outbound call as plain data: the fields that inbound calls do not have. */

import type { Call, CallAttempt, Carrier, Source } from '../call.ts';
import type { Rate } from '../rates.ts';

/** One attempt through one carrier; `carrier` is null in a simulated call. */
export interface OutboundAttempt extends CallAttempt {
  readonly carrier: Carrier | null;
  /** What the carrier charges the operator; null or missing if it has no rate. */
  readonly cost?: Rate | null;
}

export interface OutboundCall extends Call<OutboundAttempt> {
  readonly direction: 'out';
  readonly accountId: string;
  readonly trunkId: string;
  readonly trunkName: string;
  readonly source: Source;
  /** SIP Call-ID of the customer's leg. */
  readonly callId: string;
  readonly originalSrcNumber: string;
  readonly srcNumber: string;
  /** The dialled number, including the tech prefix. */
  readonly dstNumber: string;
  /** The same without the tech prefix and `+`. */
  readonly destination: string;
  /** Set for a call to an emergency number; such a call has no rate. */
  readonly emergency?: true;
  /** Null for an emergency call, and for a call that was refused because there is no rate. */
  readonly rate: Rate | null;
  readonly country: string | null;
  readonly network: string | null;
  readonly pChargeInfo: string | null;
  readonly diversion: readonly string[];
  readonly userAgent: string | null;
}
