/** The ports of HTTP servers: checking that one is free, listening, and closing without cutting off responses. */
import { once } from 'node:events';
import net, { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { OperatorError } from '../../base/operator-error.ts';

/** Asked before anything is made, so that a taken port leaves no trace. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
  } catch (error) {
    throw asOperatorError(error, host, port);
  } finally {
    probe.close();
  }
}

/** The address of the listening server. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw asOperatorError(error, host, port);
  }
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://${reachable(host)}:${address.port}`;
}

/** An address that stands for all of the machine's cannot be called itself. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function asOperatorError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is taken by another program; choose another, or 0 for any free one.`,
    );
  }
  if (code === 'EACCES') return new OperatorError(`This user may not open port ${port} on ${host}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(`TRUNKLINE_HOST ${host} is not an address of this machine.`);
  }
  return error;
}

/** How long a connection that is kept open may still bring a request; its response says that the connection closes. */
const lameDuckMs = 1_500;
const lookMs = 20;

/**
 * Accepts no new connection. Node's own `close` would also cut idle connections without a `Connection: close` before.
 */
export function stopAccepting(app: FastifyInstance): void {
  if (!app.server.listening) return;
  net.Server.prototype.close.call(app.server);
  // Responses without an end, such as streams of events, are ended by the rooms that send them.
  app.server.emit('stopping');
}

/**
 * After `stopAccepting`: resolves when every request has its response; those that take longer than `patienceMs` are cut
 * off.
 */
export async function finishRequests(app: FastifyInstance, patienceMs: number): Promise<void> {
  const started = performance.now();
  const passed = () => performance.now() - started;
  while ((await countConnections(app)) > 0 && passed() < patienceMs) {
    if (passed() > lameDuckMs) app.server.closeIdleConnections();
    await sleep(lookMs);
  }
  app.server.closeAllConnections();
}

function countConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => {
    app.server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
