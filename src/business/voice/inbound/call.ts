/** One inbound call as plain data: the fields that outbound calls do not have. */

import type { Call, CallAttempt, Carrier, Source } from '../call.ts';
import type { Rate } from '../rates.ts';

export type ChannelKind = 'included' | 'dedicated' | 'shared' | 'metered';

/** One attempt at one trunk. */
export interface InboundAttempt extends CallAttempt {
  readonly trunkId: string;
  readonly trunkName: string;
  /** The dialled URI, sip: or tel:. */
  readonly destination: string;
  /** The caller id in the format of this trunk. */
  readonly callerId: string;
  readonly transportProtocolId: number | null;
  readonly popId: string | null;
  /** Rate of PSTN forwarding, charged per minute. */
  readonly forwardingRate: Rate | null;
  /** The caller's name that was looked up for this trunk, and its rate; neither if none was found. */
  readonly callerName?: string;
  readonly nameLookupRate: Rate | null;
  readonly ringingTimeoutSeconds: number;
  readonly reroutingIds: readonly number[] | null;
}

/** What the signature of the caller's number proved. */
export interface CallerVerdict {
  /** `none`: the call was not signed, or could not be checked. */
  readonly result: 'passed' | 'failed' | 'none';
  /** The number is the signer's customer's (A), the customer is known (B), the call came from elsewhere (C). */
  readonly attestation: 'A' | 'B' | 'C' | null;
  /** Who signed, by its certificate. */
  readonly signer: string | null;
  /** Why nothing is proven. */
  readonly reason: string | null;
}

export interface InboundCall extends Call<InboundAttempt> {
  readonly direction: 'in';
  /** Null for a simulated call. */
  readonly source: Source | null;
  readonly carrier: Carrier | null;
  readonly didId: string | null;
  readonly didNumber: string;
  /** Country of the called number, ISO 3166-1. */
  readonly country: string | null;
  readonly srcNumber: string;
  readonly srcName: string | null;
  /** SIP Call-ID of the caller's leg, and how its equipment names itself; null for a simulated call. */
  readonly callerCallId: string | null;
  readonly userAgent: string | null;
  readonly channel: ChannelKind | null;
  readonly sharedCapacityGroupId: string | null;
  readonly capacityGroupName: string | null;
  readonly trunkGroupId: string | null;
  readonly trunkGroupName: string | null;
  /** Missing where callers are not verified. */
  readonly callerVerdict?: CallerVerdict;
  /** Charged per minute if the call uses a metered channel. */
  readonly meteredRate: Rate | null;
  /** Charged per minute on numbers of metered groups (toll-free). */
  readonly tollFreeRate: Rate | null;
}
