/**
 * `/panel/v1/session`: signing in with e-mail address and password (POST), who is signed in (GET), signing out (DELETE).
 * A wrong password, an unknown address and a login without a password get the same response after the same work.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { findPeople, type Person, personWithPassword } from '../accounts/people.ts';
import { isPanelRequest } from '../accounts/same-origin.ts';
import { sessionCookie, sessionTokenOf } from '../accounts/session-cookie.ts';
import { findSession, openSession, type PanelSession, revokeToken } from '../accounts/sessions.ts';
import type { Environment } from '../environment.ts';
import { isStorable } from '../incoming-json.ts';
import { ApiError, errors } from '../jsonapi/errors.ts';
import type { PanelOptions } from './context.ts';
import { showSession } from './session-document.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { auditSession } from './sign-in-audit.ts';

const credentials = Compile(
  Type.Object({
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password: Type.String({ minLength: 1, maxLength: 1000 }),
  }),
);

export function registerSignIn(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/session', async (request, reply) => {
    requirePanel(env, request);
    const { body } = request;
    if (!credentials.Check(body) || !isStorable(body)) {
      throw new ApiError([errors.badRequest('An e-mail address and a password are needed.')]);
    }
    const person = await checkPassword(env, request, body, options);
    return signIn(env, request, reply, person);
  });

  app.get('/session', async (request, reply) =>
    reply.send(await showSession(env, await requireSession(env, request, options))),
  );

  app.delete('/session', async (request, reply) => {
    requirePanel(env, request);
    const token = sessionTokenOf(env, request);
    if (token !== null) {
      const session = await findSession(env, token);
      await revokeToken(env, token);
      if (session !== null) await auditSession(env, request, 'session.ended', personOf(session));
    }
    return reply
      .code(204)
      .header('set-cookie', sessionCookie(env, request, null))
      .send();
  });
}

/** Opens a session under a new token, ends the one from before, and shows who is signed in. */
export async function signIn(
  env: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<FastifyReply> {
  // The token of a session from before never becomes the token of a session that is signed in.
  const former = sessionTokenOf(env, request);
  if (former !== null) await revokeToken(env, former);
  const userAgent = request.headers['user-agent'] ?? '';
  const token = await openSession(env, { person, ip: request.ip, userAgent });
  await auditSession(env, request, 'session.opened', person);
  const session = await findSession(env, token);
  if (session === null) throw new ApiError([wrongCredentials]);
  reply.header('set-cookie', sessionCookie(env, request, token));
  return reply.code(201).send(await showSession(env, session));
}

/** Throws if the password is not right, or if there were too many attempts. */
async function checkPassword(
  env: Environment,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
  { operators }: PanelOptions,
): Promise<Person> {
  const people = (await findPeople(env, email.trim())).filter(({ kind }) => operators || kind !== 'operator');
  const attempts = attemptsOf(env, email, request.ip);
  const { waitSeconds, isLast } = await attempts.begin();
  if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
  const person = await personWithPassword(people, password, request.ip);
  if (person === null) {
    await auditSession(env, request, 'session.refused', people[0] ?? null);
    if (isLast) await auditSession(env, request, 'session.locked', people[0] ?? null);
    throw new ApiError([wrongCredentials]);
  }
  await attempts.succeeded();
  return person;
}

/** The person of a session, who may not be who the session shows: an operator may act as a customer. */
export function personOf({ operator, member, caller }: PanelSession): Omit<Person, 'passwordHash'> {
  if (operator !== null) return { kind: 'operator', id: operator.id, accountId: null, email: operator.email };
  if (caller === null) throw new Error('a session without a person');
  const { accountId } = caller;
  if (member !== null) return { kind: 'member', id: member.id, accountId, email: member.email };
  return { kind: 'account', id: accountId, accountId, email: null };
}

/** The session of a request of the panel; 401 without one. Operators have none where their interface is not served. */
export async function requireSession(
  env: Environment,
  request: FastifyRequest,
  { operators }: PanelOptions,
): Promise<PanelSession> {
  const token = sessionTokenOf(env, request);
  const session = token === null || !isPanelRequest(env, request) ? null : await findSession(env, token);
  if (session === null || (session.operator !== null && !operators)) throw new ApiError([errors.unauthorized()]);
  return session;
}

export function requirePanel(env: Environment, request: FastifyRequest): void {
  if (!isPanelRequest(env, request))
    throw new ApiError([errors.forbidden('This request does not come from the panel.')]);
}

const wrongCredentials = errors.refused(401, 'Sign-in failed', 'The e-mail address or the password is not right.');
export const tooManyAttempts = errors.refused(
  429,
  'Too many attempts',
  'There were too many attempts to sign in. Try again later.',
);
