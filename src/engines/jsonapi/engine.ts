/** What a product gives the engine, and how routes are added to it. */
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import type { Outcome } from './errors.ts';
import type { RawQuery } from './query-string.ts';
import type { Access, EngineContext, Registry, Relationship, Resource } from './resource.ts';

export interface Engine<C extends EngineContext> {
  registry: Registry;
  /** The version of responses to requests whose own version is not known yet (no key, broken query). */
  newestVersion: string;
  /** Headers of every response, errors included. */
  commonHeaders: (request: FastifyRequest) => Record<string, string>;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /**
   * Finds the caller, the version and the tenant of a request. Throws 401 unless the route is `open` to everyone. Null:
   * the path has no route, and the request ends with 404 or 405.
   */
  contextOf: (request: FastifyRequest, route: ReachedRoute | null) => C | Promise<C>;
  /** Applies the rate limit to a known caller. Throws 429. */
  admit?: (context: C) => void;
  /**
   * What to tell the client when an error only means that the work cannot be done now (503); null for any other error.
   */
  unavailable?: (error: unknown) => Unavailable | null;
  /** The types of each older version (`versions/`), if there are any. */
  older?: ReadonlyMap<string, Registry>;
  /** The version of the reference data as it is committed now; without it nothing is kept. */
  referenceVersion?: () => Promise<string>;
  /** Routes that are no document of the interface (uploads, downloads), each in a scope of its own. */
  extraRoutes?: readonly ExtraRoutes<C>[];
}

interface Unavailable {
  /** Seconds to wait before another try. */
  retryAfter: number;
  outcome: Outcome;
}

/** Hooks, errors and the caller are the engine's; bodies are left unread. */
export type ExtraRoutes<C extends EngineContext> = (
  app: FastifyInstance,
  contextOf: (request: FastifyRequest) => C,
) => void;

/** What the engine's hooks know of a route; a product's extra routes set it as Fastify's `config`. */
export interface RouteFlags {
  /** Needs no key. */
  open?: boolean;
  /** `own`: the route takes or gives another media type and checks it itself. */
  media?: 'json' | 'own';
  /**
   * The type it belongs to, by its newest name. Who may use that may use the route; a route without one is refused
   * where access is limited.
   */
  type?: string;
  /** What it does with the type, if its method does not say so. */
  access?: Access;
  /** The route of a relationship's linkage. */
  linkage?: Relationship['kind'];
  /**
   * A change of a relationship: the request has a document, also with DELETE, and stands for an update.
   */
  document?: boolean;
}

/** The route that a request has reached, as who may use it is decided by: never by the text of the URL. */
export interface ReachedRoute {
  open: boolean;
  type: string | null;
  access: Access;
}

/** One request about a type. */
export interface ResourceRequest {
  context: EngineContext;
  /** The types of the request's version, and the one it is about. */
  registry: Registry;
  resource: Resource;
  /** The types of the newest version. */
  newest: Registry;
  /** Empty where the path names no record. */
  id: string;
  query: RawQuery;
  body: unknown;
  /** The version of the reference data, if it was read for this request already. */
  referenceVersion?: string;
  /** Whether the document is returned as text, if the context can read rows as text. */
  asText?: boolean;
  /** As the client sent it: page links repeat it. */
  path: string;
}

export type AddRoute = (
  resource: Resource,
  methods: HTTPMethods | HTTPMethods[],
  url: string,
  /** Returns the document to send, or null if there is none. */
  run: (request: ResourceRequest) => Promise<object | null>,
  /** For a caller without the feature the route does not exist. */
  flags?: Pick<RouteFlags, 'linkage' | 'document'> & { feature?: string | undefined; reference?: boolean },
) => void;
