/** Adds the routes of all declared types to Fastify, and handles what no route or type handles: unknown paths, errors. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readStorableJson, UnreadableJson } from '../incoming-json.ts';
import { type AddRoute, type Engine, idOf, type RouteFlags } from './engine.ts';
import { ApiError, type ErrorObject, errors } from './errors.ts';
import {
  carriesDocument,
  checkAccept,
  checkContentType,
  mediaType,
  sendDocument,
  sendErrors,
  sendNothing,
} from './http.ts';
import type { Document } from './linkage.ts';
import { type Asked, listDocument, readDocument } from './operations.ts';
import { readQueryString } from './query-string.ts';
import { deriveRelationshipRoutes } from './relationship-routes.ts';
import type { EngineContext, Resource } from './resource.ts';
import { createDocument, deleteRecord, updateDocument } from './write-operations.ts';

/** Call it inside an encapsulated Fastify plugin. */
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
    reply.headers(engine.commonHeaders(request));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const { open = false, media = 'json', document = false } = request.routeOptions.config as RouteFlags;
    const context = await engine.contextOf(request, open);
    contexts.set(request, context);
    engine.admit?.(context);
    if (media !== 'json') return;
    checkAccept(request.headers.accept);
    if (request.is404) return;
    if (document || carriesDocument(request.method)) checkContentType(request.headers['content-type']);
  });

  const known: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const { type, linkage } = (config ?? {}) as RouteFlags;
    for (const each of [method].flat()) {
      known.push({ method: each, path: patternOf(url), ...(type ? { type } : {}), ...(linkage ? { linkage } : {}) });
    }
  });
  const noSuchRoute = (request: FastifyRequest): ApiError =>
    unknownRoute(
      request,
      known.filter(({ type, method }) => !type || engine.versions.serves(versionOf(request), type, method)),
    );
  const route: AddRoute<C> = (resource, methods, url, run, flags = {}) => {
    // A slash at the end is ignored.
    for (const each of [url, `${url}/`]) {
      app.route({
        method: methods,
        url: each,
        config: { open: resource.scope === 'public', type: resource.type, ...flags } satisfies RouteFlags,
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
  deriveRelationshipRoutes(engine, resource, { one, route, asked, send });
}

/** The endpoints that the engine routes; a product may route some operations itself (`ownRoutes`). */
export function derivedEndpoints<C extends EngineContext>({
  endpoints,
  ownRoutes = [],
}: Resource<C>): Resource<C>['endpoints'] {
  const own = Object.fromEntries(ownRoutes.map((operation) => [operation, false]));
  return { ...endpoints, ...own };
}

/** Reads bodies of any type; `checkContentType` has already refused the wrong ones. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    try {
      return readStorableJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

function answerErrors<C extends EngineContext>(
  app: FastifyInstance,
  { versions, unavailable, bodyLimit }: Engine<C>,
  versionOf: (request: FastifyRequest) => string,
): void {
  app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
    const wait = unavailable?.(error) ?? null;
    const problems =
      error instanceof ApiError
        ? error.errors
        : wait !== null
          ? [errors.unavailable()]
          : foreignErrors(error, bodyLimit);
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

/** Errors of Fastify and of the database as errors of the interface. */
function foreignErrors(error: Error & { code?: string; statusCode?: number }, bodyLimit: number): ErrorObject[] {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return [errors.tooLarge(bodyLimit)];
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
  linkage?: RouteFlags['linkage'];
}

const patternOf = (url: string): RegExp => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`);

/** 405 with `Allow` for a path that has other methods, 403 for linkage that is read-only, 404 for any other path. */
function unknownRoute(request: FastifyRequest, known: readonly KnownRoute[]): ApiError {
  const path = request.url.split('?')[0] ?? request.url;
  const matching = known.filter((route) => route.method !== 'OPTIONS' && route.path.test(path));
  const allowed = [...new Set(matching.map(({ method }) => method))];
  if (allowed.length === 0) return new ApiError([errors.routeNotFound(path)]);
  const kind = matching.find(({ linkage }) => linkage)?.linkage;
  if (kind && request.method === 'PATCH') return new ApiError([errors.replacementForbidden()]);
  if (kind === 'many' && (request.method === 'POST' || request.method === 'DELETE')) {
    return new ApiError([errors.forbidden('The members of this relationship cannot be changed.')]);
  }
  return new ApiError([errors.methodNotAllowed(request.method, path)], { allow: [...allowed, 'OPTIONS'].join(', ') });
}
