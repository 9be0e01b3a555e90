/** How the routes of the interface are declared to Fastify. */
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { canonicalId } from './declare.ts';
import type { EngineContext, Relationship, Resource } from './resource.ts';

export interface RouteFlags {
  /** Asked for without a key. */
  open?: boolean;
  /** `own`: the route takes or gives another media type and checks it itself. */
  media?: 'json' | 'own';
  /** The type it belongs to, where an older version may not have it. */
  type?: string;
  /** The route of a relationship's linkage. */
  linkage?: Relationship['kind'];
  /** The request has a document although its method usually has none: DELETE on a relationship. */
  document?: boolean;
}

export type AddRoute<C extends EngineContext> = (
  resource: Resource<C>,
  methods: HTTPMethods | HTTPMethods[],
  url: string,
  run: Run<C>,
  flags?: Pick<RouteFlags, 'linkage' | 'document'>,
) => void;

export type Run<C> = (request: FastifyRequest, reply: FastifyReply, context: C) => Promise<FastifyReply>;

export const idOf = (request: FastifyRequest): string => canonicalId((request.params as { id?: string }).id ?? '');
