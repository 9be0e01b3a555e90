/** For load balancers and process managers: is the process alive, and can it do its work. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../environment.ts';
import { inTime } from './in-time.ts';
import { registerPage } from './pages.ts';

export function registerHealth(app: FastifyInstance, env: Environment): void {
  registerPage(app, '/healthz', async () => ({ status: 'ok' }));
  registerPage(app, '/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      await inTime(env.pool.query('select 1'));
      return { status: 'ok', database: 'ok' };
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'unavailable', database: 'unreachable' });
    }
  });
}
