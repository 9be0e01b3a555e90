/** Processor time of a call, and memory of calls that are up. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { usageOf } from './processes.ts';
import { probe, type Rates } from './rate.ts';
import type { SipServer } from './sip-server.ts';
import { placeCalls } from './sipp.ts';
import type { SipWorld } from './world.ts';

interface Cost {
  serverMs: number;
  databaseMs: number;
}

export async function cpuRows(world: SipWorld, rates: Rates): Promise<Row[]> {
  const rate = Math.max(10, Math.round(rates.trunkline / 2));
  const trunkline = await costAt(world, world.trunkline, rate);
  const kamailio = await costAt(world, world.kamailio, Math.min(rate, Math.round(rates.kamailio / 2)));
  const text = ({ serverMs, databaseMs }: Cost) => `${serverMs.toFixed(2)} + ${databaseMs.toFixed(2)} ms`;
  const sum = ({ serverMs, databaseMs }: Cost) => serverMs + databaseMs;
  return [
    {
      measure: 'processor time of a call at half that rate, PostgreSQL included: Trunkline / Kamailio',
      ratio: sum(trunkline) / sum(kamailio),
      required: { atMost: 3 },
      note: `${text(trunkline)} and ${text(kamailio)} (server + PostgreSQL), at ${rate}/s`,
    },
  ];
}

async function costAt(world: SipWorld, server: SipServer, rate: number): Promise<Cost> {
  const [server0, database0] = [await usageOf(server.pid), await usageOf(world.databasePid)];
  const { calls } = await probe(server, rate);
  const [server1, database1] = [await usageOf(server.pid), await usageOf(world.databasePid)];
  return {
    serverMs: (server1.cpuMs - server0.cpuMs) / calls,
    databaseMs: (database1.cpuMs - database0.cpuMs) / calls,
  };
}

const callsUp = 5_000;
const mostMebibytes = 400;

/** All of them are up at one moment: each talks for longer than it takes to place them. */
export async function memoryRows(world: SipWorld, rate: number): Promise<Row[]> {
  // A process of its own: that of the search for the rate has been asked for far more than it can do.
  const trunkline = await world.startTrunkline();
  await probe(trunkline, 30);
  const upRate = Math.max(10, Math.round(rate / 2));
  const before = await usageOf(trunkline.pid);
  const talkMs = Math.ceil((callsUp / upRate) * 1_000) + 15_000;
  const { port, numbers } = trunkline;
  let most = 0;
  let open = 0;
  let isOver = false;
  const placed = placeCalls({ port, numbers, rate: upRate, calls: callsUp, talkMs }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const [usage, recorded] = [await usageOf(trunkline.pid), await trunkline.recorded()];
    open = Math.max(open, recorded.open);
    if (recorded.open >= callsUp * 0.98) most = Math.max(most, usage.residentMebibytes);
    await sleep(500);
  }
  const { complete } = await placed;
  if (most === 0) throw new Error(`at most ${open} of ${callsUp} calls were up at one time`);
  return [
    {
      measure: `resident memory of the process with 5,000 calls up: MiB / ${mostMebibytes}`,
      ratio: most / mostMebibytes,
      required: { atMost: 1 },
      note: `${most.toFixed(0)} MiB with ${open} calls up, ${before.residentMebibytes.toFixed(0)} MiB before; ${complete} of ${callsUp} calls complete`,
    },
  ];
}
