/** The most calls a second without a failed call and without a message sent twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import type { SipServer } from './sip-server.ts';
import { type Outcome, placeCalls } from './sipp.ts';
import type { SipWorld } from './world.ts';

export interface Rates {
  trunkline: number;
  kamailio: number;
}

/** BENCH_SHORT=1 is for work on the speed itself: one round, a coarser search, and no row of memory. */
export const isShort = process.env.BENCH_SHORT === '1';
const rounds = isShort ? 1 : 3;
const secondsPerProbe = 3;
export const talkMs = 1_000;
const lowestRate = isShort ? 40 : 10;
const highestRate = 4_000;
/** A rate is found to within this factor. */
const precision = isShort ? 1.4 : 1.15;

export async function rateRows(
  world: SipWorld,
  progress: (text: string) => void,
): Promise<{ rows: Row[]; rates: Rates }> {
  // Compiled code and prepared statements, as a server has them that has run for a while.
  for (const server of [world.kamailio, world.trunkline]) {
    for (const rate of [10, 30]) await probe(server, rate);
  }
  const pairs: Rates[] = [];
  for (let round = 0; round < rounds; round++) {
    // In turns, so that whatever else the machine does falls on both alike.
    const last = pairs.at(-1);
    const first = round % 2 === 0 ? await highest(world.kamailio, last?.kamailio) : 0;
    const trunkline = await highest(world.trunkline, last?.trunkline);
    const kamailio = first || (await highest(world.kamailio, last?.kamailio));
    pairs.push({ trunkline, kamailio });
    progress(`round ${round + 1} of ${rounds}: ${trunkline}/s, and Kamailio ${kamailio}/s`);
  }
  const rates = {
    trunkline: median(pairs.map((pair) => pair.trunkline)),
    kamailio: median(pairs.map((pair) => pair.kamailio)),
  };
  const row: Row = {
    measure:
      'calls a second, none failed, nothing sent twice, events and CDRs stored: Trunkline / Kamailio with dialogs and accounting stored',
    ratio: median(pairs.map(({ trunkline, kamailio }) => trunkline / kamailio)),
    required: { atLeast: 0.5 },
    note: `${rates.trunkline.toFixed(0)}/s and ${rates.kamailio.toFixed(0)}/s in the median of ${rounds} rounds (${pairs
      .map(({ trunkline, kamailio }) => `${trunkline.toFixed(0)}:${kamailio.toFixed(0)}`)
      .join(', ')}), with sipp and PostgreSQL on the same cores`,
  };
  return { rows: [row], rates };
}

/** Doubles until a rate fails twice, then halves the interval. Begins below what an earlier round found. */
async function highest(server: SipServer, found = lowestRate * 2): Promise<number> {
  let clean = 0;
  let failing = highestRate;
  for (let rate = Math.max(lowestRate, Math.round(found / 2)); rate < highestRate; rate *= 2) {
    if (!(await holds(server, rate))) {
      failing = rate;
      break;
    }
    clean = rate;
  }
  if (clean === 0) throw new Error(`${server.name} does not carry ${failing} calls a second`);
  while (failing / clean > precision) {
    const rate = Math.round(Math.sqrt(clean * failing));
    if (rate === clean || rate === failing) break;
    if (await holds(server, rate)) clean = rate;
    else failing = rate;
  }
  return clean;
}

/** One bad moment of a shared machine does not count. */
async function holds(server: SipServer, rate: number): Promise<boolean> {
  return isClean(await probe(server, rate)) || isClean(await probe(server, rate));
}

/** What became of the calls, and whether all that were answered were in the database soon after. */
type Probe = Outcome & { isRecorded: boolean };

const isClean = ({ calls, complete, retransmissions, isRecorded }: Probe): boolean =>
  complete === calls && retransmissions === 0 && isRecorded;

const soonMs = 5_000;
/** A server that was asked for too much may still be writing; what is not there after this is lost. */
const patienceMs = 60_000;

/**
 * Places calls at this rate. Rejects if an answered one is never recorded, unless messages were repeated: sipp takes
 * the repeated 200 of an INVITE for that of its BYE, and never sends a BYE again that was lost. Such a call stays up
 * until the server asks whether its caller is still there.
 */
export async function probe(server: SipServer, rate: number): Promise<Probe> {
  const before = await server.recorded();
  const { port, numbers } = server;
  const outcome = await placeCalls({ port, numbers, rate, calls: rate * secondsPerProbe, talkMs });
  const ended = performance.now();
  let recordedMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const { calls, open } = await server.recorded();
    const waited = performance.now() - ended;
    const missing = before.calls + outcome.complete - calls;
    if (missing <= 0) recordedMs = Math.min(recordedMs, waited);
    // Kamailio forgets the dialogs of failed calls later than anybody waits.
    const mayMiss = outcome.failed > 0 || outcome.retransmissions > 0;
    const isOver = missing <= 0 ? open === 0 || waited > soonMs : mayMiss && waited > soonMs;
    if (isOver) return { ...outcome, isRecorded: recordedMs < soonMs };
    if (waited > patienceMs) throw new Error(`${server.name} did not record ${missing} of its calls`);
    await sleep(50);
  }
}
