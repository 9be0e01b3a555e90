/** What the routes of /operator/v1 that are no JSON:API documents have in common. */
import type { FastifyRequest } from 'fastify';
import type { RouteFlags } from '../../engines/jsonapi/engine.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { readQueryString, refuseNul } from '../../engines/jsonapi/query-string.ts';
import type { Access } from '../../engines/jsonapi/resource.ts';
import type { OperatorContext } from './context.ts';
import type { OperatorType } from './roles.ts';

export type ContextOf = (request: FastifyRequest) => OperatorContext;

/** Who may use the route is said in `roles.ts`; `access` is what it does, if its method does not say so. */
export const ownMedia = (type: OperatorType, access?: Access): RouteFlags => ({
  media: 'own',
  type,
  ...(access ? { access } : {}),
});

/** The parameters of a request that has all of these and no others. */
export function parametersOf<Name extends string>(request: FastifyRequest, ...names: Name[]): Record<Name, string> {
  const sent = new Map(readQueryString(request.url));
  const unknown = [...sent.keys()].find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new ApiError([errors.paramNotAllowed(unknown)]);
  const missing = names.find((name) => !sent.get(name));
  if (missing !== undefined) throw new ApiError([errors.missingParameter(missing)]);
  for (const name of names) refuseNul(name, sent.get(name));
  return Object.fromEntries(names.map((name) => [name, sent.get(name)?.trim() ?? ''])) as Record<Name, string>;
}

/** The parameters of a request that has all required ones, perhaps some of the optional ones, and no others. */
export function choiceOf<Name extends string>(
  request: FastifyRequest,
  required: readonly Name[],
  optional: readonly Name[],
): Partial<Record<Name, string>> {
  const sent = readQueryString(request.url).map(([name]) => name);
  const given = optional.filter((name) => sent.includes(name));
  return parametersOf(request, ...required, ...given);
}

/** Digits of a number, without a leading `+`, which a query may have turned into a blank. */
export function digitsOf(name: string, text: string): string {
  const digits = text.replace(/^\+/, '');
  if (!/^\d{3,20}$/.test(digits)) throw new ApiError([errors.invalidFieldValue(text, name)]);
  return digits;
}
