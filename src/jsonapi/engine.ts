import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Document } from './document-shape.ts';
import type { ErrorObject } from './errors.ts';
import type { RawQuery } from './query-string.ts';
import type { Registry } from './registry.ts';
import type { EngineContext, Resource } from './resource.ts';

/** What a product gives the engine. */
export interface Engine<C extends EngineContext> {
  registry: Registry<C>;
  /** Served when a request cannot be told apart yet (no key, broken query). */
  newestVersion: string;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** Who asks, by which version, on whose data. Throws 401. `open` types are asked for by anyone. */
  contextOf: (request: FastifyRequest, open: boolean) => Promise<C>;
  /** Whether somebody who is known may ask now. Throws 429. */
  admit?: (context: C) => void;
  /** Seconds to wait when an error only means that the work cannot be done now (503); null for any other error. */
  unavailable?: (error: unknown) => number | null;
  /** Older versions of the interface: the code speaks only the newest, these translate at its border. */
  versions: Versions;
  /** Routes that are no document of the interface (uploads, downloads), each in a scope of its own. */
  extraRoutes?: readonly ExtraRoutes<C>[];
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

export interface VersionedRequest {
  query: RawQuery;
  body: unknown;
}

export type Handler<C extends EngineContext> = (
  context: C,
  resource: Resource<C>,
  request: FastifyRequest,
) => Promise<object>;
