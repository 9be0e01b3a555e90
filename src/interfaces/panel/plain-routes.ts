/** What the routes of `/panel/v1` have in common that take and return plain JSON instead of JSON:API documents. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readStorableJson, UnreadableJson } from '../../base/incoming-json.ts';
import type { RouteFlags } from '../../engines/jsonapi/engine.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { readQueryString, refuseNul } from '../../engines/jsonapi/query-string.ts';
import { checkerOf, type TypedSchema } from '../../engines/typed-schema.ts';
import type { PanelContext } from './context.ts';

export type ContextOf = (request: FastifyRequest) => PanelContext;

/** The engine leaves the media types of such a route alone; who may use it is said of its subject, as of a type. */
export const plain = (subject: string): RouteFlags => ({ media: 'own', type: subject });

/** The query's parameters by name. Throws if there is one that the route does not know. */
export function parametersOf<N extends string>(
  request: FastifyRequest,
  names: readonly N[],
): Partial<Record<N, string>> {
  const query = readQueryString(request.url);
  const unknown = query.find(([name]) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new ApiError([errors.paramNotAllowed(unknown[0])]);
  for (const [name, value] of query) refuseNul(name, value);
  const given = new Map(query);
  return Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))) as Partial<
    Record<N, string>
  >;
}

/** Lets the routes of this scope take JSON bodies. */
export function acceptJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    try {
      return body.length === 0 ? undefined : readStorableJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
}

/** A function that checks a body against the schema; `refusal` says what is needed. */
export function bodyOf<T>(schema: TypedSchema<T>, refusal: string): (request: FastifyRequest) => T {
  const checker = checkerOf(schema);
  return ({ body }) => {
    if (!checker.allows(body)) throw new ApiError([errors.badRequest(refusal)]);
    return body;
  };
}
