/** The routes of one relationship: what it links to, the linkage alone, and changes of it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asUpdate, changeRelationship, isChangeable, type RelationshipVerb } from './change-relationship.ts';
import type { Engine } from './engine.ts';
import { ApiError, errors } from './errors.ts';
import { sendNothing } from './http.ts';
import { type Asked, relatedDocument, relationshipDocument } from './operations.ts';
import { readQueryString } from './query-string.ts';
import { type EngineContext, hasFeature, type Relationship, type Resource } from './resource.ts';
import { type AddRoute, idOf } from './route-shape.ts';

interface Path<C extends EngineContext> {
  /** The path of one record. */
  one: string;
  route: AddRoute<C>;
  asked: (request: FastifyRequest) => Asked;
  send: (request: FastifyRequest, reply: FastifyReply, context: C, status: number, document: object) => FastifyReply;
}

const VERBS = { PATCH: 'replace', POST: 'add', DELETE: 'remove' } as const satisfies Record<string, RelationshipVerb>;

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
        await changeRelationship(context, registry, resource, id, VERBS[method], query, () => {
          const body = asUpdate(resource.type, id, word, request.body);
          return versions.request(context.apiVersion, resource.type, { query, body }).body;
        });
        return sendNothing(reply);
      },
      { document: true },
    );
  }
}

/** A relationship that the caller's features leave out has no links, and so no path. */
function requireFeature(context: EngineContext, { feature }: Relationship, request: FastifyRequest): void {
  if (!hasFeature(context, feature)) throw new ApiError([errors.routeNotFound(request.url.split('?', 1)[0] ?? '')]);
}
