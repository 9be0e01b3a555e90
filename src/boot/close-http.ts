/** Ends a server without breaking off what it is answering, and without a reset for clients that keep connections open. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a connection that is kept open may still bring a request; its response says that the connection closes. */
const lameDuckMs = 1_500;
const lookMs = 20;

/** No new connection from now on. Node's own `close` would also cut idle connections, before they were told anything. */
export function stopAccepting(app: FastifyInstance): void {
  if (app.server.listening) net.Server.prototype.close.call(app.server);
}

/** After `stopAccepting`: resolves when every request is answered; those that take longer than `patienceMs` are cut off. */
export async function closeHttpServer(app: FastifyInstance, patienceMs: number): Promise<void> {
  const started = performance.now();
  const passed = () => performance.now() - started;
  while ((await countConnections(app)) > 0 && passed() < patienceMs) {
    if (passed() > lameDuckMs) app.server.closeIdleConnections();
    await sleep(lookMs);
  }
  app.server.closeAllConnections();
  await app.close();
}

function countConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => {
    app.server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
