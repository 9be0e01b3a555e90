/** What a product gives the engine, and how routes are added to it. */
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import type { ErrorObject, Outcome } from './errors.ts';
import type { Document } from './linkage.ts';
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
  /**
   * Translates requests and responses of older versions; everything behind it knows the newest version only. Without it
   * there is one.
   */
  versions?: Versions;
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

export interface Versions {
  /** Whether a version has a type at all, and this method of it. */
  serves(version: string, type: string, method: string): boolean;
  request(version: string, type: string, request: VersionedRequest): VersionedRequest;
  /** `query` is what the client sent: its sparse fieldsets are in its own version's words. */
  response(version: string, document: Document, query?: RawQuery): Document;
  errors(version: string, problems: readonly ErrorObject[]): readonly ErrorObject[];
}

/** Of an interface with one version: nothing is translated. */
export const oneVersion: Versions = {
  serves: () => true,
  request: (_version, _type, request) => request,
  response: (_version, document) => document,
  errors: (_version, problems) => problems,
};

export interface VersionedRequest {
  query: RawQuery;
  body: unknown;
}

/** What the engine's hooks know of a route; a product's extra routes set it as Fastify's `config`. */
export interface RouteFlags {
  /** Needs no key. */
  open?: boolean;
  /** `own`: the route takes or gives another media type and checks it itself. */
  media?: 'json' | 'own';
  /**
   * The type it belongs to. Who may use that may use the route; a route without one is refused where access is limited.
   */
  type?: string;
  /** What it does with the type, if its method does not say so. */
  access?: Access;
  /** The route of a relationship's linkage. */
  linkage?: Relationship['kind'];
  /**
   * A change of a relationship: the request has a document, also with DELETE, and is translated as the update it stands
   * for.
   */
  document?: boolean;
}

/** The route that a request has reached, as who may use it is decided by: never by the text of the URL. */
export interface ReachedRoute {
  open: boolean;
  type: string | null;
  access: Access;
}

/** One request about a type, in the newest version. */
export interface ResourceRequest {
  context: EngineContext;
  registry: Registry;
  resource: Resource;
  /** Empty where the path names no record. */
  id: string;
  query: RawQuery;
  body: unknown;
  /** The version of the reference data, if it was read for this request already. */
  referenceVersion?: string;
  /** Whether the document is returned as text, if the context can read rows as text: its version is the newest. */
  asText?: boolean;
  /**
   * The path and the query as the client sent them, before they were translated from an older version; page links
   * repeat them.
   */
  asked: { path: string; query: RawQuery };
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
