/** 500 relayed calls for a minute without a lost packet of ours, and what the relay adds to the delay of 100. */
import type { Row } from '../row.ts';
import type { Measured, Parties } from './parties.ts';
import { startEmbedded, startForwarder } from './relays.ts';

const threads = 2;
const many = { calls: 500, packetsPerSecond: 50, seconds: 60 };
/** The same load on a bare forwarder: whether the parties themselves keep up with it. */
const forwarderSeconds = 10;
const some = { calls: 100, load: { seconds: 8, packetsPerSecond: 50 } };
const mostDelayMs = 5;

export async function carriedRows(parties: Parties): Promise<Row[]> {
  const [embedded, forwarder] = [startEmbedded(threads), startForwarder()];
  try {
    const { calls, packetsPerSecond, seconds } = many;
    const bare = await parties.talk(forwarder, calls, { packetsPerSecond, seconds: forwarderSeconds });
    const ours = await parties.talk(embedded, calls, { packetsPerSecond, seconds });
    const straight = await parties.talk(null, some.calls, some.load);
    const relayed = await parties.talk(embedded, some.calls, some.load);
    return [lossRow(ours, bare), delayRow(relayed, straight)];
  } finally {
    await embedded.stop();
    await forwarder.stop();
  }
}

const lost = ({ sent, received, missedByParties }: Measured): number => sent - received - missedByParties;

function lossRow(ours: Measured, bare: Measured): Row {
  const { sent, missedByParties, seconds, relaySeconds, partySeconds } = ours;
  const cores = (used: number): string => (used / seconds).toFixed(2);
  const late =
    bare.seconds > 1.05 * forwarderSeconds ? ', late: the machine does not carry the parties themselves' : '';
  return {
    measure: `packets that our relay lost of ${many.calls} calls in a minute, both directions, on ${threads} threads: lost / sent`,
    ratio: lost(ours) / sent,
    required: { atMost: 0 },
    note: `${lost(ours)} of ${sent} in ${seconds.toFixed(1)} s, ${missedByParties} more missed by the parties; ${cores(relaySeconds)} cores of the relay and ${cores(partySeconds)} of the parties; a bare forwarder under the same load lost ${lost(bare)} of ${bare.sent}, with ${bare.missedByParties} missed, in ${bare.seconds.toFixed(1)} s${late}`,
  };
}

function delayRow(relayed: Measured, straight: Measured): Row {
  const text = ({ delayP50Ms, delayP99Ms }: Measured): string =>
    `${delayP50Ms.toFixed(2)} and ${delayP99Ms.toFixed(2)} ms`;
  return {
    measure: `delay that the relay adds at ${some.calls} calls, 99th percentile: ms / ${mostDelayMs}`,
    ratio: Math.max(0, relayed.delayP99Ms - straight.delayP99Ms) / mostDelayMs,
    required: { atMost: 1 },
    note: `median and 99th percentile ${text(relayed)} through the relay, ${text(straight)} straight from party to party`,
  };
}
