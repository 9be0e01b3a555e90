/**
 * `/panel/v1/login`: the own login (password, e-mail address, app, recovery codes, passkeys). What changes it needs a
 * proof that the session's person gave again: before (confirmation.ts), or with the request itself as `current`, the
 * password.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { withPasswordTurn } from '../../business/accounts/password-turns.ts';
import { WeakPassword } from '../../business/accounts/passwords.ts';
import { idleSeconds } from '../../business/accounts/sessions.ts';
import { totpUri } from '../../business/accounts/totp.ts';
import { scheduleSecurityNotice } from '../../business/mail/security-notice.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { shape } from '../../engines/typed-schema.ts';
import { type Asker, askerOf, provenAsker } from './confirmation.ts';
import type { PanelOptions } from './context.ts';
import { setPassword } from './logins.ts';
import { addPasskey, registrationOptions } from './passkeys.ts';
import { bodyOf } from './plain-routes.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from './second-factor.ts';
import { signIn } from './sign-in.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
const ids = shape.optional(
  shape.array(shape.string({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }), { maxItems: 1000 }),
);
/** The current password may prove, with the request itself, who sends it. */
const current = shape.optional(text);
export const newPasswordBody = shape.object({ current, password: text, keep_sessions: ids, keep_passkeys: ids });
export const appCodeBody = shape.object({ current, code: text });
export const newPasskeyBody = shape.object({
  current,
  token: text,
  name: shape.string({ minLength: 1, maxLength: 100 }),
  response: shape.object({}, { additionalProperties: true }),
});
const newPassword = bodyOf(
  newPasswordBody,
  'A new password is needed, and with it perhaps the ids of sessions and passkeys that stay.',
);
const code = bodyOf(appCodeBody, 'A code is needed.');
const newPasskey = bodyOf(newPasskeyBody, 'A name and the response of the authenticator are needed.');

export function registerOwnLogin(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  const proven = (request: FastifyRequest) => provenAsker(env, request, options);
  const tell = (
    request: FastifyRequest,
    { person }: Asker,
    change: Parameters<typeof scheduleSecurityNotice>[3]['change'],
  ) => scheduleSecurityNotice(env.db, env, person, { change, source: request.ip });

  app.get('/login', async (request, reply) => {
    const asker = await askerOf(env, request, options);
    const { login, person } = asker;
    return reply.send({
      email: person.email,
      totp: login.totp_confirmed_at !== null,
      recovery_codes_left: login.recovery_code_hashes.length,
      passkeys: await passkeysOf(env, login.id),
      other_sessions: await otherSessions(env, asker),
    });
  });

  app.post('/login/password', async (request, reply) => {
    const asker = await proven(request);
    const { password, keep_sessions = [], keep_passkeys = [] } = newPassword(request);
    const keep = [...keep_sessions, ...keep_passkeys];
    await storePassword(env, request, asker.person, password, keep);
    await auditSession(env, request, 'login.password_changed', asker.person, {
      kept_sessions: keep_sessions.length,
      kept_passkeys: keep_passkeys.length,
    });
    // This session has ended too, unless it was to stay: its browser goes on with a new one.
    return signIn(env, request, reply, asker.person);
  });

  app.post('/login/totp', async (request, reply) => {
    const { login, person } = await proven(request);
    if (login.totp_confirmed_at !== null) throw new ApiError([errors.conflict('An app is set up already.')]);
    const secret = await beginTotp(env, login.id);
    return reply.send({ secret, uri: totpUri(secret, `Trunkline ${env.name}`, person.email ?? person.id) });
  });

  app.post('/login/totp/confirm', async (request, reply) => {
    const asker = await proven(request);
    const codes = await confirmTotp(env, asker.login.id, code(request).code);
    if (codes === null) throw new ApiError([wrongCode]);
    await auditSession(env, request, 'login.second_factor_added', asker.person, { kind: 'app' });
    await tell(request, asker, 'app_added');
    return reply.send({ recovery_codes: codes });
  });

  app.post('/login/totp/remove', async (request, reply) => {
    const asker = await proven(request);
    await removeTotp(env, asker.login.id);
    await auditSession(env, request, 'login.second_factor_removed', asker.person, { kind: 'app' });
    await tell(request, asker, 'app_removed');
    return reply.code(204).send();
  });

  app.post('/login/recovery_codes', async (request, reply) => {
    const asker = await proven(request);
    if (asker.login.totp_confirmed_at === null) throw new ApiError([errors.conflict('Set up an app first.')]);
    const codes = await renewRecoveryCodes(env, asker.login.id);
    await auditSession(env, request, 'login.recovery_codes_renewed', asker.person);
    await tell(request, asker, 'recovery_codes');
    return reply.send({ recovery_codes: codes });
  });

  app.post('/login/passkeys/options', async (request, reply) => {
    const { login, person } = await proven(request);
    return reply.send(await registrationOptions(env, request, login.id, person.email ?? person.id));
  });

  app.post('/login/passkeys', async (request, reply) => {
    const asker = await proven(request);
    if (!(await addPasskey(env, request, asker.login.id, newPasskey(request)))) throw new ApiError([wrongPasskey]);
    await auditSession(env, request, 'login.second_factor_added', asker.person, { kind: 'passkey' });
    await tell(request, asker, 'passkey_added');
    return reply.code(201).send({});
  });

  app.delete('/login/passkeys/:id', async (request, reply) => {
    const asker = await proven(request);
    const { id } = request.params as { id: string };
    const removed = isUuid(id)
      ? await env.db
          .deleteFrom('passkeys')
          .where('id', '=', id)
          .where('login_id', '=', asker.login.id)
          .executeTakeFirst()
      : null;
    if (removed === null || removed.numDeletedRows === 0n) throw new ApiError([errors.recordNotFound(id)]);
    await auditSession(env, request, 'login.second_factor_removed', asker.person, { kind: 'passkey' });
    await tell(request, asker, 'passkey_removed');
    return reply.code(204).send();
  });
}

/** 422 for a password that is too short or too common. */
export async function storePassword(
  env: Environment,
  request: FastifyRequest,
  person: Asker['person'],
  given: string,
  keep: readonly string[] = [],
): Promise<void> {
  await withPasswordTurn(request.ip, () => setPassword(env, person, given, { source: request.ip, keep })).catch(
    refuseWeak,
  );
}

export function refuseWeak(error: unknown): never {
  throw error instanceof WeakPassword ? new ApiError([errors.refused(422, 'Weak password', error.message)]) : error;
}

const passkeysOf = (env: Environment, loginId: string) =>
  env.db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('login_id', '=', loginId)
    .orderBy('created_at')
    .execute();

/** Where the same person is signed in beside this session; what a new password ends. */
function otherSessions(env: Environment, { person, session }: Asker) {
  const now = env.clock.now();
  const ofPerson = env.db
    .selectFrom('panel_sessions')
    .select(['id', 'ip', 'user_agent', 'created_at', 'last_used_at'])
    .where('id', '!=', session.id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', new Date(now.getTime() - idleSeconds * 1000))
    .orderBy('last_used_at', 'desc')
    .limit(1000);
  if (person.kind === 'operator') return ofPerson.where('operator_id', '=', person.id).execute();
  if (person.kind === 'member') return ofPerson.where('member_id', '=', person.id).execute();
  return ofPerson
    .where('account_id', '=', person.id)
    .where('member_id', 'is', null)
    .where('operator_id', 'is', null)
    .execute();
}

const wrongCode = errors.refused(422, 'Wrong code', 'The code is not right. Is the time of your phone right?');
const wrongPasskey = errors.refused(422, 'Passkey refused', 'The passkey could not be checked. Try again.');
