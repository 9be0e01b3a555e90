/** Ports: whether one can be had, and the address at which it answers. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { OperatorError } from '../operator-error.ts';

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
