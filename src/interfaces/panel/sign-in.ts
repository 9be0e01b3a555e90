/**
 * `/panel/v1/session`: signing in with e-mail address and password and perhaps a code, or with a passkey (POST), who is
 * signed in (GET), signing out (DELETE). A wrong password, an unknown address and a login without a password get the
 * same response after the same work.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStorable } from '../../base/incoming-json.ts';
import { sessionOf } from '../../business/accounts/authenticate.ts';
import {
  findPeople,
  type Person,
  type PersonKind,
  personKinds,
  personWithPassword,
} from '../../business/accounts/people.ts';
import { isPanelRequest } from '../../business/accounts/same-origin.ts';
import { sessionCookie, sessionTokenOf } from '../../business/accounts/session-cookie.ts';
import { findSession, openSession, type PanelSession, revokeToken } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { checkerOf, shape } from '../../engines/typed-schema.ts';
import type { PanelOptions } from './context.ts';
import { beginChallenge, findChallenge, takeChallenge } from './login-challenges.ts';
import { loginOf, personOfLogin } from './logins.ts';
import { personWithPasskey, signInOptions } from './passkeys.ts';
import { bodyOf } from './plain-routes.ts';
import { takeCode } from './second-factor.ts';
import { showSession } from './session-document.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
export const credentialsBody = shape.object({ email: shape.string({ minLength: 1, maxLength: 320 }), password: text });
export const secondStepBody = shape.object({ token: text, code: text });
export const passkeyBody = shape.object({ token: text, response: shape.object({}, { additionalProperties: true }) });

const credentials = checkerOf(credentialsBody);
const secondStep = bodyOf(secondStepBody, 'A code is needed.');
const passkey = bodyOf(passkeyBody, 'The response of a passkey is needed.');

export function registerSignIn(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/session', async (request, reply) => {
    requirePanel(env, request);
    const { body } = request;
    if (!credentials.allows(body) || !isStorable(body)) {
      throw new ApiError([errors.badRequest('An e-mail address and a password are needed.')]);
    }
    const person = await checkPassword(env, request, body, options);
    const login = await loginOf(env, person);
    if (login.totp_confirmed_at === null) return signIn(env, request, reply, person);
    const token = await beginChallenge(env, { purpose: 'second_factor', loginId: login.id });
    return reply.send({ kind: 'second_factor', token });
  });

  app.post('/session/code', async (request, reply) => {
    requirePanel(env, request);
    const { token, code } = secondStep(request);
    return signIn(env, request, reply, await checkCode(env, request, token, code));
  });

  app.post('/session/passkey/options', async (request, reply) => {
    requirePanel(env, request);
    return reply.send(await signInOptions(env, request));
  });

  app.post('/session/passkey', async (request, reply) => {
    requirePanel(env, request);
    const person = await personWithPasskey(env, request, passkey(request));
    if (person === null || (person.kind === 'operator' && !options.operators)) {
      await auditSession(env, request, 'session.refused', person);
      throw new ApiError([wrongPasskey]);
    }
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

/** The second step after the password: a code of the app, or a recovery code. Wrong ones are counted like passwords. */
async function checkCode(env: Environment, request: FastifyRequest, token: string, code: string): Promise<Person> {
  const begun = await findChallenge(env, 'second_factor', token);
  const person = begun?.login_id == null ? null : await personOfLogin(env, begun.login_id);
  if (begun?.login_id == null || person === null) throw new ApiError([tooLate]);
  const login = `second factor ${begun.login_id}`;
  const attempts = attemptsOf(env, [login], request.ip);
  const { waitSeconds, isLast } = await attempts.begin();
  if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
  const { login_id: loginId } = begun;
  if ((await attempts.check(async () => ((await takeCode(env, loginId, code)) ? person : null))) === null) {
    await auditSession(env, request, 'session.refused', person, { step: 'code' });
    if (isLast) await auditSession(env, request, 'session.locked', person, { step: 'code' });
    throw new ApiError([wrongCode]);
  }
  await attempts.succeeded(login);
  if ((await takeChallenge(env, 'second_factor', token)) === null) throw new ApiError([tooLate]);
  return person;
}

/**
 * Throws if the password is not right, or if there were too many attempts. An e-mail address may have a login of each
 * kind: all are tried, and one that does not exist, or that has to wait, costs as much as any other.
 */
async function checkPassword(
  env: Environment,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
  { operators }: PanelOptions,
): Promise<Person> {
  const address = email.trim();
  const kinds = personKinds.filter((kind) => operators || kind !== 'operator');
  const people = (await findPeople(env, address)).filter(({ kind }) => kinds.includes(kind));
  const nameOf = (kind: PersonKind) => `${kind} ${address.toLowerCase()}`;
  const attempts = attemptsOf(env, kinds.map(nameOf), request.ip);
  const { waitSeconds, isLast, open } = await attempts.begin();
  if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
  const candidates = kinds.map((kind) => people.find((each) => each.kind === kind && open.has(nameOf(kind))) ?? null);
  const person = await attempts.check(() => personWithPassword(candidates, password, request.ip));
  if (person === null) {
    await auditSession(env, request, 'session.refused', people[0] ?? null);
    if (isLast) await auditSession(env, request, 'session.locked', people[0] ?? null);
    throw new ApiError([wrongCredentials]);
  }
  await attempts.succeeded(nameOf(person.kind));
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
  const session = await sessionOf(env, request);
  if (session === null || (session.operator !== null && !operators)) throw new ApiError([errors.unauthorized()]);
  return session;
}

export function requirePanel(env: Environment, request: FastifyRequest): void {
  if (!isPanelRequest(env, request))
    throw new ApiError([errors.forbidden('This request does not come from the panel.')]);
}

const wrongCode = errors.refused(401, 'Wrong code', 'The code is not right.');
const wrongPasskey = errors.refused(401, 'Sign-in failed', 'This passkey belongs to no login.');
const tooLate = errors.refused(401, 'Too late', 'Begin again with your password.');
const wrongCredentials = errors.refused(401, 'Sign-in failed', 'The e-mail address or the password is not right.');
export const tooManyAttempts = errors.refused(
  429,
  'Too many attempts',
  'There were too many attempts to sign in. Try again later.',
);
