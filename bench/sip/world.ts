/** Both servers on one PostgreSQL, and the sipp that answers their calls. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { openWorld } from '../world.ts';
import { startKamailio } from './kamailio.ts';
import type { SipServer } from './sip-server.ts';
import { startCallee } from './sipp.ts';
import { prepareTrunkline, startMeasuredTrunkline } from './trunkline.ts';

export interface SipWorld {
  kamailio: SipServer;
  /** Without a limit of calls per second. */
  trunkline: SipServer;
  /** Another Trunkline on the same database, with or without a limit. */
  startTrunkline(callsPerSecond?: number): Promise<SipServer>;
  /** The first process of PostgreSQL. */
  databasePid: number;
  close(): Promise<void>;
}

const unlimited = 100_000;

export async function openSipWorld(): Promise<SipWorld> {
  const world = await openWorld();
  await prepareTrunkline(world);
  const callee = await startCallee();
  const started: SipServer[] = [];
  const start = async (server: Promise<SipServer>): Promise<SipServer> => {
    started.push(await server);
    return server;
  };
  const close = async () => {
    for (const server of started) await server.stop();
    await callee.stop();
    await world.close();
  };
  try {
    return {
      kamailio: await start(startKamailio(world, callee.port)),
      trunkline: await start(startMeasuredTrunkline(world, callee.port, unlimited)),
      startTrunkline: (callsPerSecond = unlimited) => start(startMeasuredTrunkline(world, callee.port, callsPerSecond)),
      databasePid: await parentOfBackend(world.server.url('sip')),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function parentOfBackend(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const status = await readFile(`/proc/${rows[0]?.pid}/stat`, 'utf8');
  await client.end();
  return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}
