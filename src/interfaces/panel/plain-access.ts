/**
 * Who may use the routes of `/panel/v1` that are for a person instead of an account: signing in, the own login, acting
 * as a customer, live events. The routes look for the session themselves; one that has no line here is refused to
 * everybody.
 */
import type { FastifyRequest } from 'fastify';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';

/** `anyone` needs no session, `person` one of any kind, `operator` one of an operator. */
export const plainAccess: Readonly<Record<string, 'anyone' | 'person' | 'operator'>> = {
  'POST /panel/v1/session': 'anyone',
  'POST /panel/v1/session/code': 'anyone',
  'POST /panel/v1/session/passkey': 'anyone',
  'POST /panel/v1/session/passkey/options': 'anyone',
  'DELETE /panel/v1/session': 'anyone',
  'GET /panel/v1/session': 'person',
  'POST /panel/v1/acting': 'operator',
  'DELETE /panel/v1/acting': 'operator',
  'GET /panel/v1/login': 'person',
  'POST /panel/v1/login/confirm': 'person',
  'POST /panel/v1/login/confirm/passkey': 'person',
  'POST /panel/v1/login/confirm/passkey/options': 'person',
  'POST /panel/v1/login/password': 'person',
  'POST /panel/v1/login/totp': 'person',
  'POST /panel/v1/login/totp/confirm': 'person',
  'POST /panel/v1/login/totp/remove': 'person',
  'POST /panel/v1/login/recovery_codes': 'person',
  'POST /panel/v1/login/passkeys': 'person',
  'POST /panel/v1/login/passkeys/options': 'person',
  'DELETE /panel/v1/login/passkeys/:id': 'person',
  'POST /panel/v1/login/email': 'person',
  // Whoever has a link has no session, or not that one.
  'POST /panel/v1/login/email/confirm': 'anyone',
  'POST /panel/v1/login/set': 'anyone',
  'GET /panel/v1/login/forgotten': 'anyone',
  'POST /panel/v1/login/forgotten': 'anyone',
  'POST /panel/v1/login/links': 'operator',
  'GET /panel/v1/events': 'person',
  // Of the sandbox: senders of call events have no session.
  'POST /panel/v1/event_receiver': 'anyone',
};

/** Throws 403 for a route without a line. */
export function requireNamed(request: FastifyRequest): void {
  if (request.is404) return;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (Object.hasOwn(plainAccess, `${method} ${request.routeOptions.url}`)) return;
  throw new ApiError([errors.forbidden('This path is not named by any rule of access.')]);
}
