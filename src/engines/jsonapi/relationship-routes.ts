/**
 * The routes of one relationship: the related records, the linkage alone, and changes of it. A change is an update of
 * the record with that one relationship.
 */
import { isUuid } from '../../base/uuid.ts';
import type { AddRoute, ResourceRequest } from './engine.ts';
import { ApiError, type ErrorObject, errors, throwAny } from './errors.ts';
import type { Linkage, LinkageChange } from './linkage.ts';
import { inNewest } from './older-form.ts';
import { refuseParameters, relatedDocument, relationshipDocument } from './operations.ts';
import { parseBody, unknownMembers } from './parse-body.ts';
import type { Relationship, Resource, WriteInput } from './resource.ts';
import type { Row } from './sql.ts';
import { runUpdate } from './write-operations.ts';

export type RelationshipVerb = 'replace' | 'add' | 'remove';

const verbs = { PATCH: 'replace', POST: 'add', DELETE: 'remove' } as const satisfies Record<string, RelationshipVerb>;

/** `one` is the path of a record. */
export function deriveRelationshipRoutes(route: AddRoute, resource: Resource, one: string): void {
  for (const [name, relationship] of Object.entries(resource.relationships)) {
    if (relationship.writeOnly) continue;
    const { kind, feature } = relationship;
    const linkage = `${one}/relationships/${name}`;
    route(resource, 'GET', linkage, (request) => relationshipDocument(request, name), { linkage: kind, feature });
    route(resource, 'GET', `${one}/${name}`, (request) => relatedDocument(request, name, relationship), { feature });
    if (!isChangeable(resource, relationship)) continue;
    for (const method of kind === 'many' ? (['PATCH', 'POST', 'DELETE'] as const) : (['PATCH'] as const)) {
      const change = (request: ResourceRequest) => changeRelationship(request, name, verbs[method]);
      route(resource, method, linkage, change, { document: true, feature });
    }
  }
}

/** Whether the relationship can be written through its record, and therefore through its own URL too. */
export const isChangeable = (resource: Resource, relationship: Relationship): boolean =>
  resource.endpoints.update && relationship.update === true;

/** The update of the record that the request stands for. */
function asUpdate(type: string, id: string, name: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('data' in body)) {
    throw new ApiError([errors.missingParameter('data')]);
  }
  throwAny(unknownMembers(body as Row));
  return { data: { type, id, relationships: { [name]: { data: body.data } } } };
}

async function changeRelationship(request: ResourceRequest, name: string, verb: RelationshipVerb): Promise<null> {
  const { context, resource, id, query } = request;
  resource.guard?.(context, 'update');
  refuseParameters(query);
  const read = () => {
    const sent = parseBody(context, resource, asUpdate(resource.type, id, name, request.body), id);
    return withVerb(inNewest(resource, sent, 'update'), verb);
  };
  try {
    await runUpdate(request, read, async () => {});
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.errors.map(pointIntoLinkage), error.headers) : error;
  }
  return null;
}

function withVerb({ attributes, relationships }: WriteInput, verb: RelationshipVerb): WriteInput {
  if (verb === 'replace') return { attributes, relationships };
  const change = (members: Linkage[]): LinkageChange =>
    verb === 'add' ? { add: members } : { remove: members.filter(({ id }) => isUuid(id)) };
  return {
    attributes,
    relationships: Object.fromEntries(
      Object.entries(relationships).map(([name, sent]) => [name, Array.isArray(sent) ? change(sent) : sent]),
    ),
  };
}

/**
 * The request contains the linkage only: `/data/relationships/books/0` is `/data/0` in it, anything else is `/data`.
 */
function pointIntoLinkage(problem: ErrorObject): ErrorObject {
  if (!problem.source) return problem;
  const member = /^\/data\/relationships\/[^/]+(\/[^/]+)$/.exec(problem.source.pointer)?.[1] ?? '';
  return { ...problem, source: { pointer: `/data${member}` } };
}
