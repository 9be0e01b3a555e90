/** For load balancers and process managers: is the process alive, and can it do its work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../environment.ts';
import { registerPage } from './pages.ts';

const patienceMs = 2_000;

export function registerHealth(app: FastifyInstance, env: Environment): void {
  registerPage(app, '/healthz', async () => ({ status: 'ok' }));
  registerPage(app, '/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      await Promise.race([env.pool.query('select 1'), tooLate()]);
      return { status: 'ok', database: 'ok' };
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'unavailable', database: 'unreachable' });
    }
  });
}

async function tooLate(): Promise<never> {
  await sleep(patienceMs, undefined, { ref: false });
  throw new Error('the database did not answer in time');
}
