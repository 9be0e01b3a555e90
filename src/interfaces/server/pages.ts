/** The pages of the server itself, outside the rooms: the root, health checks, and how such a page is registered. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { embeddedRecovery } from '../../engines/db/embedded/recovery.ts';
import { isReadOnlySql } from '../../engines/db/read-only.ts';
import type { Environment } from '../../engines/environment.ts';
import { DiskState } from './disk-state.ts';

type Respond = (request: FastifyRequest, reply: FastifyReply) => unknown;

const allowed = 'GET, HEAD, OPTIONS';

/** Registers a page that can only be read. */
export function registerPage(app: FastifyInstance, url: string, respond: Respond): void {
  app.get(url, async (request, reply) => respond(request, reply));
  app.options(url, async (_request, reply) => reply.code(204).header('allow', allowed).send());
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    // In this hook, so that the body is not parsed.
    onRequest: async (_request, reply) =>
      reply.code(405).header('allow', allowed).send({ error: 'Method not allowed' }),
    handler: async () => undefined,
  });
}

const home = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trunkline</title>
<h1>Trunkline</h1>
<p>The number platform answers under <code>/v3</code>, phone verification under <code>/api/v1</code>.</p>
<p><a href="/docs">API reference</a></p>
</html>
`;

/** The root of a port without the panel, for someone who opens it in a browser. */
export function registerHome(app: FastifyInstance): void {
  registerPage(app, '/', (_request, reply) => reply.type('text/html; charset=utf-8').send(home));
}

interface HealthOptions {
  areWorkersAlive?: () => boolean;
  /** Folders whose disks may fill up, by name. */
  folders?: Readonly<Record<string, string>>;
  /** Calls that the process waits for before it stops; null as long as it is not told to. */
  callsToWaitFor?: () => number | null;
}

/** For load balancers and process managers: whether the process is alive, and whether it can do its work. */
export function registerHealth(
  app: FastifyInstance,
  env: Environment,
  { areWorkersAlive, folders = {}, callsToWaitFor = () => null }: HealthOptions = {},
): void {
  const disk = new DiskState(folders);
  app.addHook('onError', async (_request, _reply, error) => disk.noteError(error));
  app.addHook('onResponse', (request, { statusCode }, done) => {
    if (statusCode < 400 && request.method !== 'GET' && request.method !== 'HEAD') disk.noteWritten();
    done();
  });
  registerPage(app, '/healthz', async () => ({ status: 'ok' }));
  registerPage(app, '/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const state = await databaseState(env);
    const database = state !== 'read_only' && (await disk.isFull()) ? 'disk_full' : state;
    const workers = areWorkersAlive === undefined ? {} : { workers: areWorkersAlive() ? 'ok' : 'stopped' };
    const isReady = database === 'ok' && workers.workers !== 'stopped';
    if (!isReady) request.log.warn({ database, ...workers }, 'not ready');
    const calls = callsToWaitFor();
    if (calls !== null) return reply.code(503).send({ status: 'draining', database, calls, ...workers });
    const { progress } = embeddedRecovery;
    const recovery = database === 'recovering' && progress !== null ? { recovery: progress } : {};
    const status = isReady ? 'ok' : 'unavailable';
    return reply.code(isReady ? 200 : 503).send({ status, database, ...recovery, ...workers });
  });
}

/** Uses the connection that listens for changes: a server whose pool is busy is still ready. */
async function databaseState(env: Environment): Promise<'ok' | 'read_only' | 'recovering' | 'unreachable'> {
  try {
    const [row] = await inTime(env.changes.query<{ read_only: boolean }>(`select ${isReadOnlySql} as read_only`));
    return row?.read_only === true ? 'read_only' : 'ok';
  } catch {
    return embeddedRecovery.progress === null ? 'unreachable' : 'recovering';
  }
}

const patienceMs = 2_000;

/**
 * Returns the result of a database query, or throws after two seconds, so that pages respond while the database does
 * not.
 */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, tooLate()]);
}

async function tooLate(): Promise<never> {
  await sleep(patienceMs, undefined, { ref: false });
  throw new Error('the database did not answer in time');
}
