/** The parties of the calls, who are in a process of their own, and what they hear through a relay. */
import { processorSeconds } from '../processor.ts';
import { startChild } from './child.ts';
import type { CallPorts, FromParties, Heard, Load, ToParties } from './messages.ts';
import type { Relay } from './relays.ts';

/** What was heard, and what it cost the relay and the parties themselves. */
export interface Measured extends Heard {
  /** Seconds of processor time. */
  relaySeconds: number;
  partySeconds: number;
}

export interface Parties {
  /** Through a relay; for null they send straight to each other. */
  talk(relay: Relay | null, calls: number, load: Omit<Load, 'calls'>): Promise<Measured>;
  stop(): Promise<void>;
}

export function startParties(): Parties {
  const child = startChild<ToParties, FromParties>('media-parties.ts');
  const ask = async <Kind extends FromParties['kind']>(request: ToParties, kind: Kind) => {
    const answer = await child.ask(request);
    if (answer.kind !== kind) throw new Error(`the parties have answered ${answer.kind}`);
    return answer as Extract<FromParties, { kind: Kind }>;
  };
  return {
    talk: async (relay, calls, load) => {
      const parties = (await ask({ kind: 'open', calls }, 'opened')).calls;
      const targets = relay === null ? parties.map(crossed) : await relay.join(parties);
      const used = async () =>
        [(relay && (await processorSeconds(relay.pid))) ?? 0, (await processorSeconds(child.pid)) ?? 0] as const;
      const before = await used();
      const { heard } = await ask({ kind: 'run', load: { ...load, calls: targets } }, 'heard');
      const after = await used();
      return { ...heard, relaySeconds: after[0] - before[0], partySeconds: after[1] - before[1] };
    },
    stop: () => child.stop(),
  };
}

const crossed = ({ left, right }: CallPorts): CallPorts => ({ left: right, right: left });
