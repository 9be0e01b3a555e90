/**
 * Finds the route of a path among those of all declared types. Fastify has one route for all of them: hundreds of its
 * own take it a third of the time of a start, and memory. By hand: `find-my-way` takes seven times as long for them.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestSlot } from '../../base/request-slot.ts';
import type { ResourceRequest, RouteFlags } from './engine.ts';
import type { Resource } from './resource.ts';

export interface TypeRoute {
  /** In the version of the route. */
  resource: Resource;
  flags: RouteFlags;
  /** For a caller without the feature the route does not exist. */
  feature?: string | undefined;
  /** Whether its responses may be kept while the reference data does not change. */
  reference: boolean;
  /** Returns the document to send, or null if there is none. */
  run: (request: ResourceRequest) => Promise<object | null>;
}

/** A method of a path: who may use it is the same in every version, what it does is not. */
export interface VersionedRoute {
  flags: RouteFlags;
  /** By version; a version that is not here does not have it. */
  in: Map<string, TypeRoute>;
}

/** What is known of a path: its routes by method, and the id in it. */
export interface Match {
  /** As declared, `/books/:id`. */
  pattern: string;
  routes: ReadonlyMap<string, VersionedRoute>;
  /** Empty where the path names no record. */
  id: string;
}

interface Node {
  children: Map<string, Node>;
  /** For a segment that is an id. */
  anyId: Node | null;
  pattern: string;
  routes: Map<string, VersionedRoute>;
}

const newNode = (pattern: string): Node => ({ children: new Map(), anyId: null, pattern, routes: new Map() });

export class RouteTable {
  readonly #root = newNode('');
  readonly #all: { method: string; pattern: string; version: string }[] = [];

  /** Methods and patterns of all routes, each with the newest version that has it. */
  get all(): readonly { method: string; pattern: string; version: string }[] {
    return this.#all;
  }

  /** `pattern` consists of names and at most one `:id`. A route that is read with GET is read with HEAD too. */
  add(version: string, method: string, pattern: string, route: TypeRoute): void {
    const node = segmentsOf(pattern).reduce((parent, segment) => childOf(parent, segment), this.#root);
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const known = node.routes.get(each);
      if (known?.in.has(version)) throw new Error(`${each} ${pattern} is routed twice`);
      if (known === undefined) this.#all.push({ method: each, pattern, version });
      else if (!isSameAccess(known.flags, route.flags)) throw new Error(`${each} ${pattern} is about two types`);
      node.routes.set(each, known ?? { flags: route.flags, in: new Map() });
      node.routes.get(each)?.in.set(version, route);
    }
  }

  /** `path` is as in a URL, without the query. */
  find(path: string): Match | null {
    return find(this.#root, segmentsOf(path), 0, '');
  }
}

const isSameAccess = (one: RouteFlags, other: RouteFlags): boolean =>
  (['open', 'type', 'access', 'document', 'linkage'] as const).every((flag) => one[flag] === other[flag]);

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

function childOf(parent: Node, segment: string): Node {
  const pattern = `${parent.pattern}/${segment}`;
  if (segment.startsWith(':')) {
    parent.anyId ??= newNode(pattern);
    return parent.anyId;
  }
  const child = parent.children.get(segment) ?? newNode(pattern);
  parent.children.set(segment, child);
  return child;
}

/** A name goes before an id. */
function find(node: Node, segments: readonly string[], depth: number, id: string): Match | null {
  const segment = segments[depth];
  if (segment === undefined) return node.routes.size === 0 ? null : { pattern: node.pattern, routes: node.routes, id };
  const text = segment.includes('%') ? decodeURIComponent(segment) : segment;
  const named = node.children.get(text);
  const found = named && find(named, segments, depth + 1, id);
  if (found || node.anyId === null || text === '') return found ?? null;
  return find(node.anyId, segments, depth + 1, text);
}

/** Null: of a path below a table that has no route there. */
const ofRequest = new RequestSlot<string | null>('route');

export function noteRoute(request: FastifyRequest, pattern: string | null): void {
  ofRequest.set(request, pattern);
}

/** The pattern of the route that a request has reached, for logs and counters. */
export function routeOf(request: FastifyRequest): string | undefined {
  const noted = ofRequest.get(request);
  return noted === undefined ? request.routeOptions.url : (noted ?? undefined);
}

const ofServer = new WeakMap<object, { prefix: string; table: RouteTable }[]>();

export function noteTable(app: FastifyInstance, table: RouteTable): void {
  const tables = ofServer.get(app.server) ?? [];
  ofServer.set(app.server, [...tables, { prefix: app.prefix, table }]);
}

/** The routes of all declared types that a server has; Fastify knows its other ones. */
export const declaredRoutes = (app: FastifyInstance): { method: string; pattern: string; version: string }[] =>
  (ofServer.get(app.server) ?? []).flatMap(({ prefix, table }) =>
    table.all.map((route) => ({ ...route, pattern: `${prefix}${route.pattern}` })),
  );
