/** Ends a server without breaking off what it is answering. */
import type { FastifyInstance } from 'fastify';

/** Requests that take longer are cut off. */
const patienceMs = 30_000;

export async function closeHttpServer(app: FastifyInstance): Promise<void> {
  const tooLong = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  await app.close().finally(() => clearTimeout(tooLong));
}
