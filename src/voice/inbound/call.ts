/** One inbound call as plain data: what the shared life of a call does not know. */
import type { Rate } from '../billing.ts';
import type { Call, CallAttempt, Carrier, Source } from '../call.ts';
import type { ChannelKind } from './capacity.ts';

/** One try at one trunk. */
export interface InboundAttempt extends CallAttempt {
  readonly trunkId: string;
  readonly trunkName: string;
  /** As dialled: a sip: or tel: URI. */
  readonly destination: string;
  /** The caller as this trunk wants to see it. */
  readonly callerId: string;
  readonly transportProtocolId: number | null;
  readonly popId: string | null;
  /** PSTN forwarding is paid per minute. */
  readonly forwardingRate: Rate | null;
  /** What the lookup of the caller's name cost, where this attempt was the first to need it. */
  readonly nameLookupRate: Rate | null;
  readonly ringingTimeoutSeconds: number;
  readonly reroutingIds: readonly number[] | null;
}

export interface InboundCall extends Call<InboundAttempt> {
  readonly direction: 'in';
  /** Null where the call was not carried by a network: a simulated one. */
  readonly source: Source | null;
  readonly carrier: Carrier | null;
  readonly didId: string | null;
  readonly didNumber: string;
  /** Of the number: ISO 3166-1. */
  readonly country: string | null;
  readonly srcNumber: string;
  readonly srcName: string | null;
  readonly channel: ChannelKind | null;
  readonly sharedCapacityGroupId: string | null;
  readonly capacityGroupName: string | null;
  readonly trunkGroupId: string | null;
  readonly trunkGroupName: string | null;
  /** Paid per minute when the channel is a metered one. */
  readonly meteredRate: Rate | null;
  /** Paid per minute on numbers whose group is metered (toll-free). */
  readonly tollFreeRate: Rate | null;
}
