import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { readJson, UnreadableJson } from '../incoming-json.ts';
import { canonicalId } from './declare.ts';
import type { Document } from './document-shape.ts';
import type { Engine } from './engine.ts';
import { ApiError, type ErrorObject, errors } from './errors.ts';
import {
  checkAccept,
  checkContentType,
  MEDIA_TYPE,
  sendDocument,
  sendErrors,
  sendNothing,
  writeCommonHeaders,
} from './http.ts';
import {
  type Asked,
  createDocument,
  deleteRecord,
  listDocument,
  readDocument,
  relatedDocument,
  relationshipDocument,
  updateDocument,
} from './operations.ts';
import { readQueryString } from './query-string.ts';
import { type EngineContext, hasFeature, type Relationship, type Resource } from './resource.ts';

/** Derives every route of the interface from the declarations, inside an encapsulated Fastify plugin. */
export function registerResources<C extends EngineContext>(app: FastifyInstance, engine: Engine<C>): void {
  const contexts = new WeakMap<FastifyRequest, C>();
  const contextOf = (request: FastifyRequest): C => {
    const context = contexts.get(request);
    if (!context) throw new Error('a route was reached without a context');
    return context;
  };

  acceptAnyBody(app);
  const versionOf = (request: FastifyRequest): string => contexts.get(request)?.apiVersion ?? engine.newestVersion;
  answerErrors(app, engine, versionOf);
  app.addHook('onRequest', async (request, reply) => {
    writeCommonHeaders(request, reply);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const { open = false, media = 'json' } = request.routeOptions.config as RouteFlags;
    const context = await engine.contextOf(request, open);
    contexts.set(request, context);
    engine.admit?.(context);
    if (media !== 'json') return;
    checkAccept(request.headers.accept);
    if (!request.is404) checkContentType(request.method, request.headers['content-type']);
  });

  const known: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const { type } = (config ?? {}) as RouteFlags;
    for (const each of [method].flat()) known.push({ method: each, path: patternOf(url), ...(type ? { type } : {}) });
  });
  const noSuchRoute = (request: FastifyRequest): ApiError =>
    unknownRoute(
      request,
      known.filter(({ type, method }) => !type || engine.versions.serves(versionOf(request), type, method)),
    );
  const route: AddRoute<C> = (resource, methods, url, run) => {
    // A slash at the end means nothing.
    for (const each of [url, `${url}/`]) {
      app.route({
        method: methods,
        url: each,
        config: { open: resource.scope === 'public', type: resource.type } satisfies RouteFlags,
        bodyLimit: engine.bodyLimit,
        handler: (request, reply) => {
          if (!engine.versions.serves(versionOf(request), resource.type, request.method)) throw noSuchRoute(request);
          return run(request, reply, contextOf(request));
        },
      });
    }
  };
  for (const resource of engine.registry.all()) deriveRoutes(engine, resource, app.prefix, route);
  for (const extra of engine.extraRoutes ?? []) {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      extra(scope, contextOf);
    });
  }
  app.options('/*', (_request, reply) => reply.code(204).send());
  app.setNotFoundHandler((request) => {
    throw noSuchRoute(request);
  });
}

export interface RouteFlags {
  /** Asked for without a key. */
  open?: boolean;
  /** `own`: the route takes or gives another media type and checks it itself. */
  media?: 'json' | 'own';
  /** The type it belongs to, where an older version may not have it. */
  type?: string;
}

type AddRoute<C extends EngineContext> = (
  resource: Resource<C>,
  methods: HTTPMethods | HTTPMethods[],
  url: string,
  run: Run<C>,
) => void;

type Run<C> = (request: FastifyRequest, reply: FastifyReply, context: C) => Promise<FastifyReply>;

function deriveRoutes<C extends EngineContext>(
  engine: Engine<C>,
  resource: Resource<C>,
  prefix: string,
  route: AddRoute<C>,
): void {
  if (resource.path === null) return;
  for (const path of [resource.path, ...(resource.formerPaths ?? [])])
    derivePath(engine, resource, path, prefix, route);
}

function derivePath<C extends EngineContext>(
  engine: Engine<C>,
  resource: Resource<C>,
  path: string,
  prefix: string,
  route: AddRoute<C>,
): void {
  const { registry, versions } = engine;
  const endpoints = derivedEndpoints(resource);
  const read = (request: FastifyRequest, context: C) =>
    versions.request(context.apiVersion, resource.type, { query: readQueryString(request.url), body: request.body });
  const asked = (request: FastifyRequest): Asked => ({
    path: (request.url.split('?', 1)[0] ?? '').slice(prefix.length).replace(/\/$/, ''),
    query: readQueryString(request.url),
  });
  const send = (request: FastifyRequest, reply: FastifyReply, context: C, status: number, document: object) =>
    sendDocument(
      request,
      reply,
      status,
      versions.response(context.apiVersion, document as Document, readQueryString(request.url)),
    );
  const one = resource.singleton ? path : `${path}/:id`;

  if (endpoints.list) {
    route(resource, 'GET', path, async (request, reply, context) =>
      send(
        request,
        reply,
        context,
        200,
        await listDocument(context, registry, resource, read(request, context).query, asked(request)),
      ),
    );
  }
  if (endpoints.read) {
    route(resource, 'GET', one, async (request, reply, context) =>
      send(
        request,
        reply,
        context,
        200,
        await readDocument(context, registry, resource, idOf(request), read(request, context).query),
      ),
    );
  }
  if (endpoints.create) {
    route(resource, 'POST', path, async (request, reply, context) => {
      const { query, body } = read(request, context);
      return send(request, reply, context, 201, await createDocument(context, registry, resource, query, body));
    });
  }
  if (endpoints.update) {
    route(resource, ['PATCH', 'PUT'], one, async (request, reply, context) => {
      const { query, body } = read(request, context);
      return send(
        request,
        reply,
        context,
        200,
        await updateDocument(context, registry, resource, idOf(request), query, body),
      );
    });
  }
  if (endpoints.delete) {
    route(resource, 'DELETE', one, async (request, reply, context) => {
      await deleteRecord(context, resource, idOf(request), read(request, context).query);
      return sendNothing(reply);
    });
  }
  if (!endpoints.read || !resource.relationshipEndpoints) return;
  for (const [name, relationship] of Object.entries(resource.relationships)) {
    if (relationship.writeOnly) continue;
    for (const word of [name, ...(relationship.formerNames ?? [])]) {
      route(resource, 'GET', `${one}/relationships/${word}`, async (request, reply, context) => {
        requireFeature(context, relationship, request);
        const document = await relationshipDocument(
          context,
          registry,
          resource,
          idOf(request),
          name,
          word,
          read(request, context).query,
        );
        return send(request, reply, context, 200, document);
      });
      route(resource, 'GET', `${one}/${word}`, async (request, reply, context) => {
        requireFeature(context, relationship, request);
        const { query } = read(request, context);
        const document = await relatedDocument(
          context,
          registry,
          resource,
          idOf(request),
          name,
          relationship,
          query,
          asked(request),
        );
        return send(request, reply, context, 200, document);
      });
    }
  }
}

/** A relationship that a caller's features leave out has no links, and so no path. */
function requireFeature(context: EngineContext, { feature }: Relationship, request: FastifyRequest): void {
  if (!hasFeature(context, feature)) throw new ApiError([errors.routeNotFound(request.url.split('?', 1)[0] ?? '')]);
}

/** What the engine routes itself; a room may answer some operations its own way. */
export function derivedEndpoints<C extends EngineContext>({
  endpoints,
  ownRoutes = [],
}: Resource<C>): Resource<C>['endpoints'] {
  const own = Object.fromEntries(ownRoutes.map((operation) => [operation, false]));
  return { ...endpoints, ...own };
}

const idOf = (request: FastifyRequest): string => canonicalId((request.params as { id?: string }).id ?? '');

/** Bodies are read whatever their type says; `checkContentType` has already refused what may not create or update. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(MEDIA_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    try {
      return readJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

function answerErrors<C extends EngineContext>(
  app: FastifyInstance,
  { versions, unavailable }: Engine<C>,
  versionOf: (request: FastifyRequest) => string,
): void {
  app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
    const wait = unavailable?.(error) ?? null;
    const problems =
      error instanceof ApiError ? error.errors : wait !== null ? [errors.unavailable()] : foreignErrors(error);
    if (error instanceof ApiError) reply.headers(error.headers);
    if (wait !== null) {
      reply.header('retry-after', String(wait));
      request.log.warn({ err: error }, 'request refused for now');
    }
    if (problems[0]?.status === '500') request.log.error({ err: error }, 'request failed');
    const version = versionOf(request);
    return sendErrors(reply, versions.errors(version, problems), version);
  });
}

/** What Fastify or the database refuses, in this interface's words. */
function foreignErrors(error: Error & { code?: string; statusCode?: number }): ErrorObject[] {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return [errors.tooLarge('1 MiB')];
  if (error.code?.startsWith('FST_ERR_CTP')) return [errors.badRequest('The request body could not be read.')];
  // PostgreSQL's program_limit_exceeded: a text of several kilobytes that an index cannot hold.
  if (error.code === '54000') return [errors.saveFailed()];
  return error.statusCode !== undefined && error.statusCode < 500
    ? [errors.badRequest(error.message)]
    : [errors.internal()];
}

interface KnownRoute {
  method: string;
  path: RegExp;
  type?: string;
}

const patternOf = (url: string): RegExp => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`);

/** A path that exists with another method is 405 and says which; any other is 404. */
function unknownRoute(request: FastifyRequest, known: readonly KnownRoute[]): ApiError {
  const path = request.url.split('?')[0] ?? request.url;
  const matching = known.filter((route) => route.method !== 'OPTIONS' && route.path.test(path));
  const allowed = [...new Set(matching.map(({ method }) => method))];
  if (allowed.length === 0) return new ApiError([errors.routeNotFound(path)]);
  return new ApiError([errors.methodNotAllowed(request.method, path)], { allow: [...allowed, 'OPTIONS'].join(', ') });
}
