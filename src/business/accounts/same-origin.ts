/**
 * Whether a request with a session cookie was made by the panel itself. A browser sends the cookie also with requests
 * that other pages of the same site make (another port of this machine is the same site), so the cookie alone proves
 * nothing: reading needs the same origin, writing also a header that no form can send and no other origin is allowed
 * to.
 */
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../engines/environment.ts';

/** Sent by the panel with every request. */
const panelHeader = 'x-trunkline-panel';

export function isPanelRequest(env: Pick<Environment, 'publicUrl'>, request: FastifyRequest): boolean {
  const { method, headers } = request;
  const reads = method === 'GET' || method === 'HEAD';
  if (!reads && headers[panelHeader] === undefined) return false;
  const site = headers['sec-fetch-site'];
  // `none`: a person opened the address itself, such as a download.
  if (site !== undefined && site !== 'same-origin' && !(reads && site === 'none')) return false;
  const { origin } = headers;
  if (origin !== undefined) return origin === originOf(env, request);
  // Old browsers, and plain HTTP on other than this machine, have no Sec-Fetch-Site; writes then have an Origin.
  return reads || site !== undefined;
}

export function isSecure(env: Pick<Environment, 'publicUrl'>, request: FastifyRequest): boolean {
  return originOf(env, request).startsWith('https:');
}

export function originOf({ publicUrl }: Pick<Environment, 'publicUrl'>, { protocol, host }: FastifyRequest): string {
  return publicUrl === null ? `${protocol}://${host}` : new URL(publicUrl).origin;
}
