/** Chooses the channel of a call. Pure: the calling code counts the channels in use under its locks. */
import { type Refusal, refusal } from './refusals.ts';

export type ChannelKind = 'included' | 'dedicated' | 'shared' | 'metered';

/** The order in which channels are used (behaviour, section 3). */
export const channelKinds: readonly ChannelKind[] = ['included', 'dedicated', 'shared', 'metered'];

export interface CapacityFacts {
  /** Number of channels of each kind that the number may use, including those of its shared group. */
  channels: Readonly<Record<ChannelKind, number>>;
  inUse: Readonly<Record<ChannelKind, number>>;
  /** Active calls on this number, of any kind, and their maximum; null means no limit. */
  numberInUse: number;
  numberLimit: number | null;
}

export type ChannelChoice = { kind: ChannelKind } | { refusal: Refusal };

export function chooseChannel(facts: CapacityFacts): ChannelChoice {
  // The limit of a number reduces its concurrency; it never adds a channel.
  if (facts.numberLimit !== null && facts.numberInUse >= facts.numberLimit) return { refusal: refusal('number_limit') };
  const kind = channelKinds.find((each) => facts.inUse[each] < facts.channels[each]);
  return kind ? { kind } : { refusal: refusal('no_free_channel') };
}
