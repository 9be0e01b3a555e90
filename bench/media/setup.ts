/** Calls a second with media through the embedded relay, next to the same server with signalling only. */
import { compareRates } from '../load.ts';
import type { Row } from '../row.ts';
import type { SipServer } from '../sip/sip-server.ts';
import { placeCalls, startCallee } from '../sip/sipp.ts';
import { prepareTrunkline, startMeasuredTrunkline } from '../sip/trunkline.ts';
import { openWorld } from '../world.ts';

const unlimited = 100_000;
const rounds = 5;
/** As many as are in setup at a time: each ends when it has been answered, and the next one begins. */
const atOnce = 60;
const calls = 800;
/** Every call takes four, and they rest for some seconds: enough that none has to wait for a port. */
const ports = '10000-31999';

export async function setupRows(progress: (text: string) => void): Promise<Row[]> {
  const world = await openWorld();
  const started: { stop(): Promise<void> }[] = [];
  const start = async <Server extends { stop(): Promise<void> }>(server: Promise<Server>): Promise<Server> => {
    started.push(await server);
    return server;
  };
  try {
    await prepareTrunkline(world);
    const callee = await start(startCallee());
    const [relayed, direct] = [
      await start(
        startMeasuredTrunkline(world, callee.port, unlimited, {
          TRUNKLINE_MEDIA: 'embedded',
          TRUNKLINE_MEDIA_PORTS: ports,
        }),
      ),
      await start(startMeasuredTrunkline(world, callee.port, unlimited)),
    ];
    // Compiled code and prepared statements.
    for (const server of [relayed, direct, relayed, direct]) await callsPerSecond(server);
    const rates = await compareRates(
      rounds,
      () => callsPerSecond(relayed),
      () => callsPerSecond(direct),
    );
    progress(`${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s`);
    return [
      {
        measure: `calls a second, ${atOnce} at a time: with media / signalling only`,
        ratio: rates.ratio,
        required: { atLeast: 0.7 },
        note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s in the median of ${rounds} rounds, with sipp and PostgreSQL on the same cores`,
      },
    ];
  } finally {
    for (const one of started.reverse()) await one.stop();
    await world.close();
  }
}

async function callsPerSecond({ port, numbers, name }: SipServer): Promise<number> {
  const begun = performance.now();
  const { complete } = await placeCalls({ port, numbers, rate: 4_000, calls, talkMs: 0, atOnce });
  if (complete < 0.98 * calls) throw new Error(`${name} has completed ${complete} of ${calls} calls`);
  return complete / ((performance.now() - begun) / 1_000);
}
