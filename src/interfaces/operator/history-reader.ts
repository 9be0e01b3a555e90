/**
 * Look-ups over history are read from a replica, if there is one that is fresh enough, and their responses say how old
 * they may be. Types that are changed here, and what decides, are always read from the primary.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Replica } from '../../engines/db/replicas.ts';
import type { Environment } from '../../engines/environment.ts';
import type { ReachedRoute } from '../../engines/jsonapi/engine.ts';
import type { EngineContext } from '../../engines/jsonapi/resource.ts';
import { createQueryRunner } from '../platform/context.ts';

type RunQuery = EngineContext['query'];

/** What others have done, and nobody changes by this interface. */
const history: ReadonlySet<string> = new Set([
  'api_requests',
  'call_refusals',
  'call_trace_lines',
  'call_traces',
  'cdrs_in',
  'cdrs_out',
  'delivery_attempts',
  'ledger_entries',
  'number_history',
]);

/** A statement that takes too long takes as long at the primary. */
const cancelled = '57014';

export function createHistoryReader(env: Environment, primary: RunQuery) {
  const ages = new WeakMap<FastifyRequest, number>();
  return {
    queryOf: (request: FastifyRequest, reached: ReachedRoute | null): RunQuery => {
      const isHistory = request.method === 'GET' && history.has(reached?.type ?? '');
      const replica = isHistory ? (env.replicas?.fresh() ?? null) : null;
      if (replica === null) return primary;
      ages.set(request, replica.ageSeconds());
      return fallingBack(replica, primary);
    },
    noteAge: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const age = ages.get(request);
      if (age !== undefined) reply.header('x-data-age', String(age));
    },
  };
}

/** One response is read from one server, unless that fails. */
function fallingBack(replica: Replica, primary: RunQuery): RunQuery {
  const standby = createQueryRunner(replica.pool);
  let query = standby;
  return async (text, values) => {
    try {
      return await query(text, values);
    } catch (error) {
      if (query === primary || codeOf(error) === cancelled) throw error;
      query = primary;
      const rows = await primary(text, values);
      // What fails there as well is no fault of the replica.
      replica.failed(error);
      return rows;
    }
  };
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);
