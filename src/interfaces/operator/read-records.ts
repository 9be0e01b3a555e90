/** Reads records of /operator/v1 for the command line: the same declarations, filters and columns as over HTTP. */
import { nameOf } from '../../base/actor.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError } from '../../engines/jsonapi/errors.ts';
import { listDocument } from '../../engines/jsonapi/operations.ts';
import type { RawQuery } from '../../engines/jsonapi/query-string.ts';
import { createQueryRunner, createTransactionRunner } from '../platform/context.ts';
import { type Acting, atCommandLine } from './act.ts';
import type { OperatorContext } from './context.ts';
import { registry } from './resources.ts';
import { operatorPageSizes, operatorVersion, prefix } from './routes.ts';

export interface FoundRecord {
  id: string;
  attributes: Record<string, unknown>;
  relationships: Record<string, { data?: { id: string } | null }>;
}

/** The types that can be listed. */
const lookUpTypes = (): string[] =>
  registry
    .all()
    .filter(({ endpoints }) => endpoints.list)
    .map(({ type }) => type)
    .toSorted();

/**
 * `query` is what a request's query string would be, such as `filter[number]`. What it refuses is an error for the
 * operator.
 */
export async function lookUp(env: Environment, type: string, query: RawQuery): Promise<FoundRecord[]> {
  const resource = registry.all().find((each) => each.type === type && each.endpoints.list);
  if (resource === undefined)
    throw new OperatorError(`There is no type ${type}; there are ${lookUpTypes().join(', ')}.`);
  const context = contextAtCommandLine(atCommandLine(env));
  try {
    const made = await listDocument({
      context,
      registry,
      resource,
      id: '',
      newest: registry,
      path: `/${type}`,
      asText: false,
      query,
      body: undefined,
    });
    return (made as { data: FoundRecord[] }).data;
  } catch (error) {
    if (error instanceof ApiError) throw new OperatorError(error.errors.map(({ detail }) => detail).join(' '));
    throw error;
  }
}

/** Whoever may use the command line may see everything. */
function contextAtCommandLine({ env, by, source = '' }: Acting): OperatorContext {
  return {
    env,
    operator: { kind: 'operator', id: '', email: nameOf(by), role: 'owner' },
    address: source,
    query: createQueryRunner(env.pool),
    transaction: createTransactionRunner(env.db),
    tenant: 'every account',
    now: env.clock.now(),
    baseUrl: prefix,
    apiVersion: operatorVersion,
    defaultPageSize: operatorPageSizes.default,
    maxPageSize: operatorPageSizes.max,
  };
}
