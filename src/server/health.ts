/** For load balancers and process managers: is the process alive, and can it do its work. */
import type { FastifyInstance } from 'fastify';
import { isReadOnlySql } from '../db/read-only.ts';
import type { Environment } from '../environment.ts';
import { inTime } from './in-time.ts';
import { registerPage } from './pages.ts';

type Database = 'ok' | 'read_only' | 'unreachable';

export function registerHealth(app: FastifyInstance, env: Environment, areWorkersAlive?: () => boolean): void {
  registerPage(app, '/healthz', async () => ({ status: 'ok' }));
  registerPage(app, '/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const database = await askDatabase(env);
    const workers = areWorkersAlive === undefined ? {} : { workers: areWorkersAlive() ? 'ok' : 'stopped' };
    const isReady = database === 'ok' && workers.workers !== 'stopped';
    if (!isReady) request.log.warn({ database, ...workers }, 'not ready');
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable', database, ...workers });
  });
}

/** On the standing connection: a pool that is busy with requests is no reason to send them elsewhere. */
async function askDatabase(env: Environment): Promise<Database> {
  try {
    const [row] = await inTime(env.changes.query<{ read_only: boolean }>(`select ${isReadOnlySql} as read_only`));
    return row?.read_only === true ? 'read_only' : 'ok';
  } catch {
    return 'unreachable';
  }
}
