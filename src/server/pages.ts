/** A page of the server itself, outside the rooms: read with GET, nothing else. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown;

const allowed = 'GET, HEAD, OPTIONS';

export function registerPage(app: FastifyInstance, url: string, answer: Answer): void {
  app.get(url, async (request, reply) => answer(request, reply));
  app.options(url, async (_request, reply) => reply.code(204).header('allow', allowed).send());
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    // Whatever the body is, it is not read into anything.
    onRequest: async (_request, reply) =>
      reply.code(405).header('allow', allowed).send({ error: 'Method not allowed' }),
    handler: async () => undefined,
  });
}
