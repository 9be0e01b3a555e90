/**
 * What a packet and a stream cost one thread of the relay, next to a bare forwarder in Node and to rtpengine. By
 * processor time: the parties share the machine with the relay, and would be measured too by anything else.
 */
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import type { Measured, Parties } from './parties.ts';
import { type Relay, startEmbedded, startForwarder, startRtpengine } from './relays.ts';

/** Compiled code, as a relay has it that has run for a while. */
const warmUps = 2;
const rounds = 5;
/** The relay takes 500 packets a second of a voice: enough parties that the limit is never met. */
const full = { calls: 300, load: { seconds: 2, packetsPerSecond: null } };
const paced = { calls: 100, load: { seconds: 2.5, packetsPerSecond: 50 } };
const leastRatio = 0.7;

interface Cost {
  /** Of a second of processor time. */
  packets: number;
  /** What went through in a second of the clock. */
  packetsPerSecond: number;
  /** Of one direction of a call, in a second of it, in milliseconds. */
  streamMs: number;
}

export async function costRows(parties: Parties): Promise<Row[]> {
  const started = [startEmbedded(1), startForwarder()] as const;
  const rtpengine = await startRtpengine(1);
  try {
    for (let turn = 0; turn < warmUps; turn++) for (const relay of started) await costOf(parties, relay);
    const pairs: [Cost, Cost][] = [];
    for (let round = 0; round < rounds; round++) {
      // In turns, so that whatever else the machine does falls on both alike.
      const first = round % 2 === 0 ? await costOf(parties, started[0]) : null;
      const bare = await costOf(parties, started[1]);
      pairs.push([first ?? (await costOf(parties, started[0])), bare]);
    }
    const outside = rtpengine && (await costOf(parties, rtpengine));
    return rowsOf(pairs, outside);
  } finally {
    for (const relay of [...started, rtpengine]) await relay?.stop();
  }
}

async function costOf(parties: Parties, relay: Relay): Promise<Cost> {
  const loop = await parties.talk(relay, full.calls, full.load);
  const pace = await parties.talk(relay, paced.calls, paced.load);
  return {
    packets: loop.received / loop.relaySeconds,
    packetsPerSecond: loop.received / loop.seconds,
    streamMs: streamMs(pace),
  };
}

const streamMs = ({ relaySeconds, received }: Measured): number => (1_000 * relaySeconds * 50) / received;

function rowsOf(pairs: readonly (readonly [Cost, Cost])[], rtpengine: Cost | null): Row[] {
  const of = (side: 0 | 1, figure: keyof Cost): number => median(pairs.map((pair) => pair[side][figure]));
  const ratio = (figure: keyof Cost): number => median(pairs.map(([one, other]) => one[figure] / other[figure]));
  const outside = (text: (cost: Cost) => string): string =>
    rtpengine === null ? 'rtpengine is not installed' : `rtpengine in user space: ${text(rtpengine)}`;
  return [
    {
      measure:
        'packets in a second of processor time, as many as go through: one relay thread / bare forwarder in Node',
      ratio: ratio('packets'),
      required: { atLeast: leastRatio },
      note: `${of(0, 'packets').toFixed(0)} and ${of(1, 'packets').toFixed(0)}; ${of(0, 'packetsPerSecond').toFixed(0)}/s and ${of(1, 'packetsPerSecond').toFixed(0)}/s of the clock, with the parties on the same cores; ${outside(({ packets }) => packets.toFixed(0))}`,
    },
    {
      measure: 'streams of 50 packets a second that a core carries: one relay thread / bare forwarder in Node',
      ratio: median(pairs.map(([one, other]) => other.streamMs / one.streamMs)),
      required: { atLeast: leastRatio },
      note: `${of(0, 'streamMs').toFixed(2)} and ${of(1, 'streamMs').toFixed(2)} ms of processor time a second for each of ${2 * paced.calls} streams; ${outside((cost) => `${cost.streamMs.toFixed(2)} ms`)}`,
    },
  ];
}
