/** One outbound call as plain data: what the shared life of a call does not know. */
import type { Rate } from '../billing.ts';
import type { Call, CallAttempt, Carrier, Source } from '../call.ts';

/** One try through one carrier; null while there is none to choose from. */
export interface OutboundAttempt extends CallAttempt {
  readonly carrier: Carrier | null;
}

export interface OutboundCall extends Call<OutboundAttempt> {
  readonly direction: 'out';
  readonly accountId: string;
  readonly trunkId: string;
  readonly trunkName: string;
  readonly source: Source;
  /** SIP Call-ID of the customer's leg. */
  readonly callId: string;
  readonly pop: string | null;
  readonly originalSrcNumber: string;
  readonly srcNumber: string;
  /** As dialled, tech prefix included. */
  readonly dstNumber: string;
  /** Null only for a call that was refused because there is none. */
  readonly rate: Rate | null;
  readonly country: string | null;
  readonly network: string | null;
  readonly pChargeInfo: string | null;
  readonly diversion: readonly string[];
  readonly userAgent: string | null;
}
