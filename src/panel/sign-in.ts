/**
 * `/panel/v1/session`: signing in with e-mail address and password (POST), who is signed in (GET), signing out (DELETE).
 * A wrong password, an unknown address and an account without a password get the same response after the same work.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { verifyPassword } from '../accounts/account-columns.ts';
import { isPanelRequest } from '../accounts/same-origin.ts';
import { sessionCookie, sessionTokenOf } from '../accounts/session-cookie.ts';
import { callerOfSession, openSession, revokeToken } from '../accounts/sessions.ts';
import type { Environment } from '../environment.ts';
import { isStorable } from '../incoming-json.ts';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { attemptsOf } from './sign-in-attempts.ts';

const credentials = Compile(
  Type.Object({
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password: Type.String({ minLength: 1, maxLength: 1000 }),
  }),
);

/** Somebody who can sign in. Today only accounts have logins. */
interface Person {
  kind: 'account';
  accountId: string;
  passwordHash: string | null;
}

export function registerSignIn(app: FastifyInstance, env: Environment): void {
  app.post('/session', async (request, reply) => {
    requirePanel(env, request);
    const { body } = request;
    if (!credentials.Check(body) || !isStorable(body)) {
      throw new ApiError([errors.badRequest('An e-mail address and a password are needed.')]);
    }
    const attempts = attemptsOf(env, body.email, request.ip);
    const wait = await attempts.begin();
    if (wait > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(wait) });
    const person = await findPerson(env, body.email.trim());
    if (!(await verifyPassword(person?.passwordHash ?? null, body.password)) || person === null) {
      throw new ApiError([wrongCredentials]);
    }
    await attempts.succeeded();
    // The id of a session from before never becomes the id of a session that is signed in.
    const former = sessionTokenOf(env, request);
    if (former !== null) await revokeToken(env, former);
    const userAgent = request.headers['user-agent'] ?? '';
    const token = await openSession(env, { accountId: person.accountId, ip: request.ip, userAgent });
    reply.header('set-cookie', sessionCookie(env, request, token));
    return showPerson(env, person.accountId, reply.code(201));
  });

  app.get('/session', async (request, reply) => {
    const token = sessionTokenOf(env, request);
    const caller = token === null || !isPanelRequest(env, request) ? null : await callerOfSession(env, token);
    if (caller === null) throw new ApiError([errors.unauthorized()]);
    return showPerson(env, caller.accountId, reply);
  });

  app.delete('/session', async (request, reply) => {
    requirePanel(env, request);
    const token = sessionTokenOf(env, request);
    if (token !== null) await revokeToken(env, token);
    return reply
      .code(204)
      .header('set-cookie', sessionCookie(env, request, null))
      .send();
  });
}

function requirePanel(env: Environment, request: FastifyRequest): void {
  if (!isPanelRequest(env, request))
    throw new ApiError([errors.forbidden('This request does not come from the panel.')]);
}

const wrongCredentials = errors.refused(401, 'Sign-in failed', 'The e-mail address or the password is not right.');
const tooManyAttempts = errors.refused(
  429,
  'Too many attempts',
  'There were too many attempts to sign in. Try again later.',
);

/** In any case of letters; of two that differ only in that, the one that was typed. */
async function findPerson(env: Environment, email: string): Promise<Person | null> {
  const row = await env.db
    .selectFrom('accounts')
    .select(['id', 'password_hash'])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .orderBy(sql`email = ${email}`, 'desc')
    .orderBy('created_at')
    .executeTakeFirst();
  return row === undefined ? null : { kind: 'account', accountId: row.id, passwordHash: row.password_hash };
}

async function showPerson(env: Environment, accountId: string, reply: FastifyReply): Promise<FastifyReply> {
  const account = await env.db
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'read_only'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return reply.send({ kind: 'account', environment: env.name, now: env.clock.now(), account });
}
