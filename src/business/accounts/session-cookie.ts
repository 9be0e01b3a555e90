/**
 * The cookie of a session. Its name has the environment's, since browsers do not tell ports apart; over HTTPS it has
 * the prefix with which a browser refuses it from any other host or path.
 */
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../engines/environment.ts';
import { isSecure } from './same-origin.ts';
import { longestSeconds } from './sessions.ts';

type CookieEnvironment = Pick<Environment, 'name' | 'publicUrl'>;

const nameOf = (env: CookieEnvironment, secure: boolean): string =>
  `${secure ? '__Host-' : ''}trunkline_${env.name}_session`;

/** The token of a request's session; null if it has no such cookie. */
export function sessionTokenOf(env: CookieEnvironment, request: FastifyRequest): string | null {
  const prefix = `${nameOf(env, isSecure(env, request))}=`;
  const cookie = (request.headers.cookie ?? '').split(/; */).find((each) => each.startsWith(prefix));
  return cookie?.slice(prefix.length) || null;
}

/** `Set-Cookie` for a token; null ends the cookie. */
export function sessionCookie(env: CookieEnvironment, request: FastifyRequest, token: string | null): string {
  const secure = isSecure(env, request);
  return [
    `${nameOf(env, secure)}=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === null ? 0 : longestSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}
