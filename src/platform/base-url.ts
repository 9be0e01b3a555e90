import type { FastifyRequest } from 'fastify';
import type { Environment } from '../environment.ts';

/** Where clients reach this server: the configured public address, or the request's own scheme and host. */
export function baseUrlOf(env: Pick<Environment, 'publicUrl'>, request: FastifyRequest): string {
  return env.publicUrl ?? `${request.protocol}://${request.host}`;
}
