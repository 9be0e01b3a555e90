/** PATCH, POST and DELETE on `/{type}/{id}/relationships/{rel}`: an update of the record with that one relationship. */
import { checkLinks } from './check-links.ts';
import { couldBeId } from './declare.ts';
import { ApiError, type ErrorObject, errors, throwAny } from './errors.ts';
import type { Linkage, LinkageChange } from './linkage.ts';
import { refuseParameters, requireRow, workflowOf } from './operations.ts';
import { parseBody, unknownMembers } from './parse-body.ts';
import type { RawQuery } from './query-string.ts';
import type { Registry } from './registry.ts';
import type { EngineContext, Relationship, Resource, WriteInput } from './resource.ts';
import { checkRules, membersForRules } from './rules.ts';
import type { Row } from './sql.ts';
import { withRefusals } from './store.ts';

export type RelationshipVerb = 'replace' | 'add' | 'remove';

/** Whether the relationship can be written through the resource, and therefore by its own URL too. */
export const isChangeable = <C extends EngineContext>(resource: Resource<C>, relationship: Relationship): boolean =>
  resource.endpoints.update && relationship.update === true;

/** The request as the update of the whole record that it stands for, in the words of the client's version. */
export function asUpdate(type: string, id: string, word: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('data' in body)) {
    throw new ApiError([errors.missingParameter('data')]);
  }
  throwAny(unknownMembers(body as Row));
  return { data: { type, id, relationships: { [word]: { data: body.data } } } };
}

export async function changeRelationship<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  verb: RelationshipVerb,
  raw: RawQuery,
  /** The update, in the newest version's words. */
  document: () => unknown,
): Promise<void> {
  resource.guard?.(context, 'update');
  refuseParameters(raw);
  const stored = await requireRow(context, resource, id, membersForRules(resource));
  const update = workflowOf(resource, 'update');
  try {
    const input = withVerb(parseBody(context, resource, document(), id), verb);
    await checkLinks(context, registry, resource, input);
    await checkRules(context, resource, input, stored);
    await withRefusals(resource, () => update(context, id, input, async () => {}));
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.errors.map(pointIntoLinkage), error.headers) : error;
  }
}

function withVerb({ attributes, relationships }: WriteInput, verb: RelationshipVerb): WriteInput {
  if (verb === 'replace') return { attributes, relationships };
  const change = (members: Linkage[]): LinkageChange =>
    verb === 'add' ? { add: members } : { remove: members.filter(({ id }) => couldBeId(id)) };
  return {
    attributes,
    relationships: Object.fromEntries(
      Object.entries(relationships).map(([name, sent]) => [name, Array.isArray(sent) ? change(sent) : sent]),
    ),
  };
}

/** The request holds nothing but linkage: `/data/relationships/dids/0` is `/data/0` in it, anything else is `/data`. */
function pointIntoLinkage(problem: ErrorObject): ErrorObject {
  if (!problem.source) return problem;
  const member = /^\/data\/relationships\/[^/]+(\/[^/]+)$/.exec(problem.source.pointer)?.[1] ?? '';
  return { ...problem, source: { pointer: `/data${member}` } };
}
