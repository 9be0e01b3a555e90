/** Which channel a call takes. Pure: what is in use is counted by the caller, under its locks. */
import { type Refusal, refusal } from './refusals.ts';

export type ChannelKind = 'included' | 'dedicated' | 'shared' | 'metered';

/** Consumed in this order for every call (behaviour, section 3). */
export const channelKinds: readonly ChannelKind[] = ['included', 'dedicated', 'shared', 'metered'];

export interface CapacityFacts {
  /** How many channels of each kind the number may draw on, its shared group's included. */
  channels: Readonly<Record<ChannelKind, number>>;
  inUse: Readonly<Record<ChannelKind, number>>;
  /** Calls up on this number, of whatever kind, and the most it may have; null is no limit. */
  numberInUse: number;
  numberLimit: number | null;
}

export type ChannelChoice = { kind: ChannelKind } | { refusal: Refusal };

export function chooseChannel(facts: CapacityFacts): ChannelChoice {
  // The limit of a number only lowers its concurrency; it never adds a channel.
  if (facts.numberLimit !== null && facts.numberInUse >= facts.numberLimit) return { refusal: refusal('number_limit') };
  const kind = channelKinds.find((each) => facts.inUse[each] < facts.channels[each]);
  return kind ? { kind } : { refusal: refusal('no_free_channel') };
}
