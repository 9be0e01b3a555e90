/**
 * The routes of one relationship: the related records, the linkage alone, and changes of it. A change is an update of the
 * record with that one relationship.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { couldBeId } from './declare.ts';
import { type AddRoute, type Engine, idOf } from './engine.ts';
import { ApiError, type ErrorObject, errors, throwAny } from './errors.ts';
import { sendNothing } from './http.ts';
import type { Linkage, LinkageChange } from './linkage.ts';
import { type Asked, refuseParameters, relatedDocument, relationshipDocument } from './operations.ts';
import { parseBody, unknownMembers } from './parse-body.ts';
import { type RawQuery, readQueryString } from './query-string.ts';
import {
  type EngineContext,
  hasFeature,
  type Registry,
  type Relationship,
  type Resource,
  type WriteInput,
} from './resource.ts';
import type { Row } from './sql.ts';
import { runUpdate } from './write-operations.ts';

interface Path<C extends EngineContext> {
  /** The path of one record. */
  one: string;
  route: AddRoute<C>;
  asked: (request: FastifyRequest) => Asked;
  send: (request: FastifyRequest, reply: FastifyReply, context: C, status: number, document: object) => FastifyReply;
}

const verbs = { PATCH: 'replace', POST: 'add', DELETE: 'remove' } as const satisfies Record<string, RelationshipVerb>;

export function deriveRelationshipRoutes<C extends EngineContext>(
  engine: Engine<C>,
  resource: Resource<C>,
  path: Path<C>,
): void {
  for (const [name, relationship] of Object.entries(resource.relationships)) {
    if (relationship.writeOnly) continue;
    for (const word of [name, ...(relationship.formerNames ?? [])]) {
      deriveReads(engine, resource, name, word, relationship, path);
      if (isChangeable(resource, relationship)) deriveChanges(engine, resource, word, relationship, path);
    }
  }
}

function deriveReads<C extends EngineContext>(
  { registry, versions }: Engine<C>,
  resource: Resource<C>,
  name: string,
  word: string,
  relationship: Relationship,
  { one, route, asked, send }: Path<C>,
): void {
  const queryOf = (request: FastifyRequest, context: C) =>
    versions.request(context.apiVersion, resource.type, { query: readQueryString(request.url), body: undefined }).query;
  route(
    resource,
    'GET',
    `${one}/relationships/${word}`,
    async (request, reply, context) => {
      requireFeature(context, relationship, request);
      const query = queryOf(request, context);
      const document = await relationshipDocument(context, registry, resource, idOf(request), name, word, query);
      return send(request, reply, context, 200, document);
    },
    { linkage: relationship.kind },
  );
  route(resource, 'GET', `${one}/${word}`, async (request, reply, context) => {
    requireFeature(context, relationship, request);
    const document = await relatedDocument(
      context,
      registry,
      resource,
      idOf(request),
      name,
      relationship,
      queryOf(request, context),
      asked(request),
    );
    return send(request, reply, context, 200, document);
  });
}

function deriveChanges<C extends EngineContext>(
  { registry, versions }: Engine<C>,
  resource: Resource<C>,
  word: string,
  relationship: Relationship,
  { one, route }: Path<C>,
): void {
  for (const method of relationship.kind === 'many' ? (['PATCH', 'POST', 'DELETE'] as const) : (['PATCH'] as const)) {
    route(
      resource,
      method,
      `${one}/relationships/${word}`,
      async (request, reply, context) => {
        requireFeature(context, relationship, request);
        const id = idOf(request);
        const query = readQueryString(request.url);
        await changeRelationship(context, registry, resource, id, verbs[method], query, () => {
          const body = asUpdate(resource.type, id, word, request.body);
          return versions.request(context.apiVersion, resource.type, { query, body }).body;
        });
        return sendNothing(reply);
      },
      { document: true },
    );
  }
}

/** Responds 404 if the caller lacks the feature of the relationship. */
function requireFeature(context: EngineContext, { feature }: Relationship, request: FastifyRequest): void {
  if (!hasFeature(context, feature)) throw new ApiError([errors.routeNotFound(request.url.split('?', 1)[0] ?? '')]);
}

export type RelationshipVerb = 'replace' | 'add' | 'remove';

/** Whether the relationship can be written through its record, and therefore through its own URL too. */
export const isChangeable = <C extends EngineContext>(resource: Resource<C>, relationship: Relationship): boolean =>
  resource.endpoints.update && relationship.update === true;

/** The update of the record that the request stands for, in the client's version. */
function asUpdate(type: string, id: string, word: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('data' in body)) {
    throw new ApiError([errors.missingParameter('data')]);
  }
  throwAny(unknownMembers(body as Row));
  return { data: { type, id, relationships: { [word]: { data: body.data } } } };
}

async function changeRelationship<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  verb: RelationshipVerb,
  raw: RawQuery,
  /** Returns the update in the newest version. */
  document: () => unknown,
): Promise<void> {
  resource.guard?.(context, 'update');
  refuseParameters(raw);
  const read = () => withVerb(parseBody(context, resource, document(), id), verb);
  try {
    await runUpdate(context, registry, resource, id, read, async () => {});
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

/** The request contains the linkage only: `/data/relationships/dids/0` is `/data/0` in it, anything else is `/data`. */
function pointIntoLinkage(problem: ErrorObject): ErrorObject {
  if (!problem.source) return problem;
  const member = /^\/data\/relationships\/[^/]+(\/[^/]+)$/.exec(problem.source.pointer)?.[1] ?? '';
  return { ...problem, source: { pointer: `/data${member}` } };
}
