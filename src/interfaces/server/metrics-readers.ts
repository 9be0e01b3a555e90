/**
 * Who may read /metrics, which tells how busy a business is and whom it works with: this machine, named networks,
 * operators.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { allowList, isAllowed } from '../../business/accounts/allowed-ips.ts';
import { TooManyFailures } from '../../business/accounts/failed-authentication.ts';
import type { Environment } from '../../engines/environment.ts';
import { createOperatorAuthenticator } from '../operator/authenticate.ts';
import { isForwarded, isLocal } from './docs/demo-access.ts';

export type MetricsReaders = (request: FastifyRequest) => Promise<boolean>;

export function metricsReaders(app: FastifyInstance, env: Environment, networks: readonly string[]): MetricsReaders {
  const known = allowList(networks);
  let authenticate: ReturnType<typeof createOperatorAuthenticator> | undefined;
  const isNamed = (request: FastifyRequest): boolean => {
    if (known === null || !isAllowed(known, request.ip)) return false;
    // The address of a proxy that is not trusted says nothing about who asks.
    return !isForwarded(request) || request.ip !== request.socket.remoteAddress;
  };
  const isOperator = async (request: FastifyRequest): Promise<boolean> => {
    // Operators are nobody where their interface is not served.
    if (!app.hasRoute({ method: 'GET', url: '/operator/v1/*' })) return false;
    authenticate ??= createOperatorAuthenticator(env);
    try {
      return (await authenticate(request)) !== null;
    } catch (error) {
      if (error instanceof TooManyFailures) return false;
      throw error;
    }
  };
  return async (request) => isLocal(request) || isNamed(request) || (await isOperator(request));
}
