/**
 * The interface that a request belongs to. Logs, limits and faults go by its route: the text of a URL can be written in
 * many ways that lead to the same route.
 */
import type { FastifyRequest } from 'fastify';

const form = /^\/(v3|api\/v1|operator\/v1|panel\/v1|sandbox\/v1)(?:[/?]|$)/;

type Interface = 'v3' | 'api/v1' | 'operator/v1' | 'panel/v1' | 'sandbox/v1';

/** Of a request without a route, the interface in which nothing was found. */
export function interfaceOf(request: FastifyRequest): Interface | null {
  const pattern = request.routeOptions.url;
  return interfaceOfPath(pattern === undefined || request.is404 ? decodedPath(request.url) : pattern);
}

/** Of a path that is decoded, or of the pattern of a route. */
const interfaceOfPath = (path: string): Interface | null => (form.exec(path)?.[1] as Interface | undefined) ?? null;

/**
 * The path of a URL, as the router reads it: without the query, decoded, and without the host that a proxy may send.
 */
export function decodedPath(url: string): string {
  const path = (url.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/]*/i, '');
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
