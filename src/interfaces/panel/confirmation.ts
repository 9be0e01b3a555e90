/**
 * `/panel/v1/login/confirm`: the person of a session proves again who they are, by password or passkey. Acts that need
 * it (accounts/confirmed-acts.ts) are then open to the session for five minutes.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireConfirmed } from '../../business/accounts/confirmed-acts.ts';
import { type Person, personWithPassword } from '../../business/accounts/people.ts';
import { confirmSession, type PanelSession } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { routeOf } from '../../engines/jsonapi/route-table.ts';
import { shape } from '../../engines/typed-schema.ts';
import { refuseCaller } from '../platform/refusals.ts';
import type { PanelOptions } from './context.ts';
import { loginOf, personOfLogin } from './logins.ts';
import { confirmationOptions, personWithPasskey } from './passkeys.ts';
import { bodyOf } from './plain-routes.ts';
import { passkeyBody, personOf, requirePanel, requireSession, tooManyAttempts } from './sign-in.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
export const passwordBody = shape.object({ password: text });
const password = bodyOf(passwordBody, 'Your password is needed.');
const current = bodyOf(shape.object({ current: shape.optional(text) }), 'The current password is a text.');
const passkey = bodyOf(passkeyBody, 'The response of a passkey is needed.');

export function registerConfirmation(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/login/confirm', async (request, reply) => {
    const asker = await askerOf(env, request, options);
    await confirmByPassword(env, request, asker, password(request).password);
    return reply.code(204).send();
  });

  app.post('/login/confirm/passkey/options', async (request, reply) => {
    const { login } = await askerOf(env, request, options);
    return reply.send(await confirmationOptions(env, request, login.id));
  });

  app.post('/login/confirm/passkey', async (request, reply) => {
    const { login, person, session } = await askerOf(env, request, options);
    const found = await personWithPasskey(env, request, passkey(request), login.id);
    if (found === null) {
      await auditSession(env, request, 'session.refused', person, { step: 'confirmation' });
      throw new ApiError([wrongPasskey]);
    }
    await confirmSession(env, session.id);
    return reply.code(204).send();
  });
}

/** The person who asks, never the customer an operator acts as. */
export async function askerOf(env: Environment, request: FastifyRequest, options: PanelOptions) {
  if (request.method !== 'GET') requirePanel(env, request);
  const session = await requireSession(env, request, options);
  const login = await loginOf(env, personOf(session));
  const person = await personOfLogin(env, login.id);
  if (person === null) throw new ApiError([errors.unauthorized()]);
  return { login, person, session };
}

/** The person who asks, with the proof that the act needs: from before, or in the request itself as `current`. */
export async function provenAsker(env: Environment, request: FastifyRequest, options: PanelOptions): Promise<Asker> {
  const asker = await askerOf(env, request, options);
  const given = request.body == null ? undefined : current(request).current;
  if (given === undefined) requireProof(env, asker.session, request);
  else await confirmByPassword(env, request, asker, given);
  return asker;
}

export type Asker = Awaited<ReturnType<typeof askerOf>>;

/** 403 if the act needs a proof that the session does not have. */
export function requireProof(env: Environment, session: PanelSession, request: FastifyRequest): void {
  try {
    requireConfirmed(env, session, `${request.method} ${routeOf(request) ?? ''}`);
  } catch (error) {
    refuseCaller(error);
  }
}

/** Guessing the password of an open session is as slow as guessing it at the door. */
async function confirmByPassword(
  env: Environment,
  request: FastifyRequest,
  { person, session }: { person: Person; session: PanelSession },
  given: string,
): Promise<void> {
  const login = `current ${person.id}`;
  const attempts = attemptsOf(env, [login], request.ip);
  const { waitSeconds } = await attempts.begin();
  if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
  if ((await attempts.check(() => personWithPassword([person], given, request.ip))) === null) {
    await auditSession(env, request, 'session.refused', person, { step: 'confirmation' });
    throw new ApiError([wrongPassword]);
  }
  await attempts.succeeded(login);
  await confirmSession(env, session.id);
}

const wrongPassword = errors.refused(403, 'Wrong password', 'The password is not right.');
const wrongPasskey = errors.refused(403, 'Wrong passkey', 'This passkey does not belong to your login.');
