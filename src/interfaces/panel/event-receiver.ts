/**
 * `POST /panel/v1/event_receiver`: a receiver of call events in the sandbox, for people who have none yet. It takes
 * every body and keeps nothing; the log of events shows what was sent to it. No session is needed, because the sender
 * has none.
 */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../engines/environment.ts';

export function registerEventReceiver(app: FastifyInstance, env: Environment): void {
  if (env.name !== 'sandbox') return;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async () => null);
    scope.post('/event_receiver', async (_request, reply) => reply.code(204).send());
  });
}
