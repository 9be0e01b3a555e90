/**
 * Adds the routes of all declared types to Fastify, and handles what no route or type handles: unknown paths, errors.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { RequestSlot } from '../../base/request-slot.ts';
import { isUnusableValue } from '../../base/violated-constraint.ts';
import { acceptAnyBody } from './accept-body.ts';
import { reachedRoute, requireRoute } from './access.ts';
import { canonicalId } from './declare.ts';
import type { AddRoute, Engine, RouteFlags } from './engine.ts';
import { ApiError, type ErrorObject, errors } from './errors.ts';
import { featuresKey, hasFeature } from './features.ts';
import {
  bodyOf,
  carriesDocument,
  checkAccept,
  checkContentType,
  sendDocument,
  sendErrors,
  sendNothing,
  sendReady,
} from './http.ts';
import { newestOf } from './older-form.ts';
import { listDocument, readDocument } from './operations.ts';
import { readQueryString } from './query-string.ts';
import { isReference, ReadyResponses } from './ready-responses.ts';
import { deriveRelationshipRoutes } from './relationship-routes.ts';
import type { EngineContext, Resource } from './resource.ts';
import { type Match, noteRoute, noteTable, RouteTable, type VersionedRoute } from './route-table.ts';
import { createDocument, deleteRecord, updateDocument } from './write-operations.ts';

/** Call it inside an encapsulated Fastify plugin, on a server whose `rewriteUrl` uses `withoutLastSlash`. */
export function registerResources<C extends EngineContext>(app: FastifyInstance, engine: Engine<C>): void {
  const registries = new Map([[engine.newestVersion, engine.registry], ...(engine.older ?? [])]);
  const contexts = new RequestSlot<C>('context');
  const contextOf = (request: FastifyRequest): C => {
    const context = contexts.get(request);
    if (!context) throw new Error('a route was reached without a context');
    return context;
  };

  acceptAnyBody(app, engine.bodyLimit);
  const versionOf = (request: FastifyRequest): string => contexts.get(request)?.apiVersion ?? engine.newestVersion;
  answerErrors(app, engine, versionOf);
  const table = new RouteTable();
  const typed = `${app.prefix}/*`;
  const matches = new RequestSlot<Match | null>('match');
  const routeFor = (request: FastifyRequest): VersionedRoute | undefined =>
    matches.get(request)?.routes.get(request.method);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(engine.commonHeaders(request));
    if (request.method === 'OPTIONS') {
      reply.code(204).send();
      return;
    }
    const isTyped = request.routeOptions.url === typed;
    if (isTyped) {
      const match = table.find(pathBelow(app, request));
      matches.set(request, match);
      noteRoute(request, match?.routes.has(request.method) ? `${app.prefix}${match.pattern}` : null);
    }
    const flags = isTyped ? (routeFor(request)?.flags ?? {}) : (request.routeOptions.config as RouteFlags);
    const exists = !request.is404 && (!isTyped || routeFor(request) !== undefined);
    const reached = exists ? reachedRoute(request.method, flags) : null;
    const admit = (context: C): void => {
      contexts.set(request, context);
      engine.admit?.(context);
      const { apiVersion, tenant } = context;
      const isServed = isTyped ? routeFor(request)?.in.has(apiVersion) === true : exists && knows(apiVersion, flags);
      // A path that the version does not have is as any path that is not there: who has no key does not learn of it.
      if (reached?.open && !isServed && tenant === null) throw new ApiError([errors.unauthorized()]);
      if (reached && !isServed) noteRoute(request, null);
      if (reached && isServed) requireRoute(context, reached);
      if (flags.media === 'own' && isServed) return;
      checkAccept(request.headers.accept);
      if (exists && !isTyped && !isServed) throw noSuchRoute(request);
      if (!isServed) return;
      if (flags.document || carriesDocument(request.method)) checkContentType(request.headers['content-type']);
    };
    // Nearly always the caller is in memory: a promise for each request would cost more than what this does.
    const context = engine.contextOf(request, reached);
    if (context instanceof Promise) return context.then(admit);
    admit(context);
    done();
  });

  const extra: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (url.endsWith('/*')) return;
    const { type } = (config ?? {}) as RouteFlags;
    const path = patternOf(url);
    for (const each of [method].flat()) extra.push({ method: each, path, ...(type ? { type } : {}) });
  });
  /** Whether a version has the type of a route that the product added itself. */
  const newestTypes = new Map(
    [...registries].map(([version, registry]) => [version, new Set(registry.all().map((each) => newestOf(each).type))]),
  );
  const knows = (version: string, { type }: Pick<RouteFlags, 'type'>): boolean =>
    type === undefined || version === engine.newestVersion || newestTypes.get(version)?.has(type) === true;
  const noSuchRoute = (request: FastifyRequest): ApiError => {
    const path = pathOf(request);
    const match = matches.get(request) ?? table.find(pathBelow(app, request));
    const version = versionOf(request);
    const derived = [...(match?.routes ?? [])]
      .filter(([, route]) => route.in.has(version))
      .map(([method, { flags }]) => ({ method, linkage: flags.linkage }));
    const added = extra.filter((route) => route.path.test(path) && knows(version, route));
    return unknownRoute(
      request,
      [...derived, ...added].filter(({ method }) => method !== 'OPTIONS'),
    );
  };
  const ready = new ReadyResponses();
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = contextOf(request);
    const { apiVersion } = context;
    const route = routeFor(request)?.in.get(apiVersion);
    const registry = registries.get(apiVersion);
    if (!route || !registry) throw noSuchRoute(request);
    const { resource, run, feature, reference } = route;
    if (!hasFeature(context, feature)) throw new ApiError([errors.routeNotFound(pathOf(request))]);
    const { referenceVersion } = engine;
    const version = reference && referenceVersion ? await referenceVersion() : null;
    const key = version === null ? '' : readyKey(context, request.url);
    const kept = version === null ? null : ready.get(key, version);
    if (kept) return sendReady(request, reply, kept);
    const query = readQueryString(request.url);
    const document = await run({
      ...{ context, registry, resource, newest: engine.registry, query, body: request.body },
      id: canonicalId(matches.get(request)?.id ?? ''),
      path: pathBelow(app, request),
      asText: context.text !== undefined,
      ...(version === null ? {} : { referenceVersion: version }),
    });
    if (document === null) return sendNothing(reply, request.method === 'DELETE' ? resource.deletedStatus : undefined);
    if (version !== null && isReference(registry, resource, query)) {
      return sendReady(request, reply, ready.keep(key, version, bodyOf(document)));
    }
    const status = request.method === 'POST' ? 201 : 200;
    return sendDocument(request, reply, status, document);
  };
  for (const [version, registry] of registries) {
    const route: AddRoute = (resource, methods, pattern, run, { feature, reference = false, ...flags } = {}) => {
      const all = { open: resource.scope === 'public', type: newestOf(resource).type, ...flags };
      for (const method of [methods].flat())
        table.add(version, method, pattern, { resource, flags: all, feature, reference, run });
    };
    for (const resource of registry.all()) deriveRoutes(route, resource);
  }
  noteTable(app, table);
  app.route({ method: typedMethods, url: '/*', bodyLimit: engine.bodyLimit, handler });
  for (const addRoutes of engine.extraRoutes ?? []) {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      addRoutes(scope, contextOf);
    });
  }
  app.options('/*', (_request, reply) => reply.code(204).send());
  app.setNotFoundHandler((request) => {
    throw noSuchRoute(request);
  });
}

function deriveRoutes(route: AddRoute, resource: Resource): void {
  const { list, read, create, update, delete: remove } = derivedEndpoints(resource);
  const { path, reference = false } = resource;
  if (path === null) return;
  const one = resource.singleton ? path : `${path}/:id`;
  if (list) route(resource, 'GET', path, listDocument, { reference });
  if (read) route(resource, 'GET', one, readDocument, { reference });
  if (create) route(resource, 'POST', path, createDocument);
  if (update) route(resource, ['PATCH', 'PUT'], one, updateDocument);
  if (remove) route(resource, 'DELETE', one, deleteRecord);
  if (read && resource.relationshipEndpoints) deriveRelationshipRoutes(route, resource, one);
}

/** What a response of reference data depends on, beside the data. */
const readyKey = (context: EngineContext, url: string): string => {
  const { apiVersion, baseUrl, defaultPageSize, maxPageSize } = context;
  return `${apiVersion} ${baseUrl} ${defaultPageSize} ${maxPageSize} ${featuresKey(context)} ${url}`;
};

/** Those with which a declared type may be served. */
const typedMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

const beforeQuery = (url: string): string => url.split('?', 1)[0] ?? url;

/** By segments: the prefix may be longer in a URL than it is, with characters that are percent-encoded. */
const pathBelow = (app: FastifyInstance, request: FastifyRequest): string =>
  `/${beforeQuery(request.url).split('/').slice(app.prefix.split('/').length).join('/')}`;

/** As the client wrote it, with a slash at the end if it had one. */
const pathOf = ({ url, originalUrl }: FastifyRequest): string =>
  `${beforeQuery(url)}${beforeQuery(originalUrl).endsWith('/') && !beforeQuery(url).endsWith('/') ? '/' : ''}`;

/**
 * A slash at the end of a path is ignored: the server's `rewriteUrl` takes it away before routing. A second route for
 * each path would do the same, and take a fifth of the time of a start.
 */
export function withoutLastSlash(url: string): string {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  return end > 1 && url[end - 1] === '/' ? url.slice(0, end - 1) + url.slice(end) : url;
}

/** The endpoints that the engine routes; a product may route some operations itself (`ownRoutes`). */
export function derivedEndpoints({ endpoints, ownRoutes = [] }: Resource): Resource['endpoints'] {
  const own = Object.fromEntries(ownRoutes.map((operation) => [operation, false]));
  return { ...endpoints, ...own };
}

function answerErrors(
  app: FastifyInstance,
  { unavailable, bodyLimit }: Pick<Engine<EngineContext>, 'unavailable' | 'bodyLimit'>,
  versionOf: (request: FastifyRequest) => string,
): void {
  app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
    const wait = unavailable?.(error) ?? null;
    const problems =
      error instanceof ApiError
        ? error.errors
        : wait !== null
          ? [errors.unavailable(wait.outcome)]
          : foreignErrors(error, bodyLimit);
    if (error instanceof ApiError) reply.headers(error.headers);
    if (wait !== null) {
      reply.header('retry-after', String(wait.retryAfter));
      request.log.warn({ err: error }, 'request refused for now');
    }
    if (problems[0]?.status === '500' || isUnusableValue(error)) request.log.error({ err: error }, 'request failed');
    return sendErrors(reply, problems, versionOf(request));
  });
}

/** Errors of Fastify and of the database as errors of the interface. */
function foreignErrors(error: Error & { code?: string; statusCode?: number }, bodyLimit: number): ErrorObject[] {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return [errors.tooLarge(bodyLimit)];
  if (error.code?.startsWith('FST_ERR_CTP')) return [errors.badRequest('The request body could not be read.')];
  // PostgreSQL's program_limit_exceeded: a text of several kilobytes that an index cannot hold.
  if (error.code === '54000') return [errors.saveFailed()];
  if (isUnusableValue(error)) return [errors.badRequest('The request has a value that cannot be used.')];
  return error.statusCode !== undefined && error.statusCode < 500
    ? [errors.badRequest(error.message)]
    : [errors.internal()];
}

/** A route that the product has added itself. */
interface KnownRoute {
  method: string;
  path: RegExp;
  type?: string;
}

const patternOf = (url: string): RegExp => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`);

interface OtherMethod {
  method: string;
  linkage?: RouteFlags['linkage'];
}

/** 405 with `Allow` for a path that has other methods, 403 for linkage that is read-only, 404 for any other path. */
function unknownRoute(request: FastifyRequest, others: readonly OtherMethod[]): ApiError {
  const path = pathOf(request);
  const allowed = [...new Set(others.map(({ method }) => method))];
  if (allowed.length === 0) return new ApiError([errors.routeNotFound(path)]);
  const kind = others.find(({ linkage }) => linkage)?.linkage;
  if (kind && request.method === 'PATCH') return new ApiError([errors.replacementForbidden()]);
  if (kind === 'many' && (request.method === 'POST' || request.method === 'DELETE')) {
    return new ApiError([errors.forbidden('The members of this relationship cannot be changed.')]);
  }
  return new ApiError([errors.methodNotAllowed(request.method, path)], { allow: [...allowed, 'OPTIONS'].join(', ') });
}
