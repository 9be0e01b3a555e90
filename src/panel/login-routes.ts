/** `/panel/v1/login`: the own login (password, app, recovery codes, passkeys), and links that set a password. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withPasswordTurn } from '../accounts/password-turns.ts';
import { findPeople, personWithPassword } from '../accounts/people.ts';
import { totpUri } from '../accounts/totp.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Environment } from '../environment.ts';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { OperatorError } from '../operator-error.ts';
import { shape } from '../typed-schema.ts';
import { isUuid } from '../uuid.ts';
import type { PanelOptions } from './context.ts';
import { linkPath, loginOf, makeLink, personOfLogin, setPassword, takeLink } from './logins.ts';
import { canMailLinks, mailLink } from './mailed-links.ts';
import { addPasskey, registrationOptions } from './passkeys.ts';
import { bodyOf } from './plain-routes.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from './second-factor.ts';
import { personOf, requirePanel, requireSession, signIn, tooManyAttempts } from './sign-in.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
const password = bodyOf(
  shape.object({ current: text, password: text }),
  'The current and the new password are needed.',
);
const current = bodyOf(shape.object({ current: text }), 'The current password is needed.');
const code = bodyOf(shape.object({ code: text }), 'A code is needed.');
const newPasskey = bodyOf(
  shape.object({ token: text, name: shape.string({ minLength: 1, maxLength: 100 }), response: shape.object({}) }),
  'A name and the response of the authenticator are needed.',
);
const link = bodyOf(shape.object({ token: text, password: text }), 'A link and a new password are needed.');
const forgotten = bodyOf(shape.object({ email: text }), 'An e-mail address is needed.');
const whose = bodyOf(
  shape.object({ account_id: shape.optional(text), operator_id: shape.optional(text) }),
  'The id of an account or of an operator is needed.',
);

export function registerLogin(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  /** The person who asks, never the customer an operator acts as. */
  const own = async (request: FastifyRequest) => {
    if (request.method !== 'GET') requirePanel(env, request);
    const session = await requireSession(env, request, options);
    const login = await loginOf(env, personOf(session));
    const person = await personOfLogin(env, login.id);
    if (person === null) throw new ApiError([errors.unauthorized()]);
    return { login, person, session };
  };
  /** Guessing the password of an open session is as slow as guessing it at the door. */
  const requireCurrent = async (
    request: FastifyRequest,
    { person }: Awaited<ReturnType<typeof own>>,
    given: string,
  ) => {
    const attempts = attemptsOf(env, `current ${person.id}`, request.ip);
    const { waitSeconds } = await attempts.begin();
    if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
    if ((await personWithPassword([person], given, request.ip)) === null) throw new ApiError([wrongPassword]);
    await attempts.succeeded();
  };

  app.get('/login', async (request, reply) => {
    const { login, person } = await own(request);
    const passkeys = await env.db
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at', 'last_used_at'])
      .where('login_id', '=', login.id)
      .orderBy('created_at')
      .execute();
    return reply.send({
      email: person.email,
      totp: login.totp_confirmed_at !== null,
      recovery_codes_left: login.recovery_code_hashes.length,
      passkeys,
    });
  });

  app.post('/login/password', async (request, reply) => {
    const asker = await own(request);
    const sent = password(request);
    await requireCurrent(request, asker, sent.current);
    await newPassword(request, asker.person, sent.password);
    await auditSession(env, request, 'login.password_changed', asker.person);
    // Every session has ended, this one too: its browser goes on with a new one.
    return signIn(env, request, reply, asker.person);
  });

  app.post('/login/totp', async (request, reply) => {
    const { login, person } = await own(request);
    if (login.totp_confirmed_at !== null) throw new ApiError([errors.conflict('An app is set up already.')]);
    const secret = await beginTotp(env, login.id);
    return reply.send({ secret, uri: totpUri(secret, `Trunkline ${env.name}`, person.email ?? person.id) });
  });

  app.post('/login/totp/confirm', async (request, reply) => {
    const { login, person } = await own(request);
    const codes = await confirmTotp(env, login.id, code(request).code);
    if (codes === null) throw new ApiError([wrongCode]);
    await auditSession(env, request, 'login.second_factor_added', person, { kind: 'app' });
    return reply.send({ recovery_codes: codes });
  });

  app.post('/login/totp/remove', async (request, reply) => {
    const asker = await own(request);
    await requireCurrent(request, asker, current(request).current);
    await removeTotp(env, asker.login.id);
    await auditSession(env, request, 'login.second_factor_removed', asker.person, { kind: 'app' });
    return reply.code(204).send();
  });

  app.post('/login/recovery_codes', async (request, reply) => {
    const asker = await own(request);
    if (asker.login.totp_confirmed_at === null) throw new ApiError([errors.conflict('Set up an app first.')]);
    await requireCurrent(request, asker, current(request).current);
    return reply.send({ recovery_codes: await renewRecoveryCodes(env, asker.login.id) });
  });

  app.post('/login/passkeys/options', async (request, reply) => {
    const { login, person } = await own(request);
    return reply.send(await registrationOptions(env, request, login.id, person.email ?? person.id));
  });

  app.post('/login/passkeys', async (request, reply) => {
    const { login, person } = await own(request);
    if (!(await addPasskey(env, request, login.id, newPasskey(request)))) throw new ApiError([wrongPasskey]);
    await auditSession(env, request, 'login.second_factor_added', person, { kind: 'passkey' });
    return reply.code(201).send({});
  });

  app.delete('/login/passkeys/:id', async (request, reply) => {
    const { login, person } = await own(request);
    const { id } = request.params as { id: string };
    const removed = isUuid(id)
      ? await env.db.deleteFrom('passkeys').where('id', '=', id).where('login_id', '=', login.id).executeTakeFirst()
      : null;
    if (removed === null || removed.numDeletedRows === 0n) throw new ApiError([errors.recordNotFound(id)]);
    await auditSession(env, request, 'login.second_factor_removed', person, { kind: 'passkey' });
    return reply.code(204).send();
  });

  app.post('/login/set', async (request, reply) => {
    requirePanel(env, request);
    const sent = link(request);
    checkLength(sent.password);
    const person = await takeLink(env, sent.token);
    if (person === null || (person.kind === 'operator' && !options.operators)) throw new ApiError([deadLink]);
    await newPassword(request, person, sent.password);
    await auditSession(env, request, 'login.password_changed', person, { by: 'link' });
    return reply.code(204).send();
  });

  app.get('/login/forgotten', async (_request, reply) => reply.send({ by_email: canMailLinks(env) }));

  /** The same response whether somebody has this address or not. */
  app.post('/login/forgotten', async (request, reply) => {
    requirePanel(env, request);
    const { email } = forgotten(request);
    if (!canMailLinks(env)) throw new ApiError([noMail]);
    const { waitSeconds } = await attemptsOf(env, `forgotten ${email}`, request.ip).begin();
    if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
    const people = (await findPeople(env, email)).filter(({ kind }) => kind !== 'operator' || options.operators);
    for (const person of people) {
      await inTransaction(env.db, async (db) =>
        mailLink({ ...env, db }, person, 'reset', await makeLink({ ...env, db }, person, 'reset')),
      );
    }
    return reply.code(202).send({});
  });

  /** An operator makes a link for a customer who has lost the password; an owner also for another operator. */
  app.post('/login/links', async (request, reply) => {
    requirePanel(env, request);
    const { operator } = await requireSession(env, request, options);
    const { account_id: accountId, operator_id: operatorId } = whose(request);
    const person =
      accountId !== undefined
        ? ({ kind: 'account', id: accountId } as const)
        : ({ kind: 'operator', id: operatorId ?? '' } as const);
    const roles = person.kind === 'account' ? ['owner', 'support'] : ['owner'];
    if (operator === null || !roles.includes(operator.role)) {
      throw new ApiError([errors.forbidden(`This needs an operator with the role ${roles.join(' or ')}.`)]);
    }
    const exists = isUuid(person.id)
      ? await env.db
          .selectFrom(person.kind === 'account' ? 'accounts' : 'operators')
          .select(['id', 'email'])
          .where('id', '=', person.id)
          .executeTakeFirst()
      : undefined;
    if (exists?.email == null) throw new ApiError([errors.recordNotFound(person.id)]);
    const token = await makeLink(env, person, 'reset');
    const mailed = await mailLink(env, { email: exists.email, accountId: accountId ?? null }, 'reset', token);
    const by = { kind: 'operator', id: operator.id, accountId: accountId ?? null, email: operator.email } as const;
    await auditSession(env, request, 'login.link_made', by, { for: person.id });
    return reply.code(201).send({ path: linkPath(token), mailed });
  });

  const newPassword = (request: FastifyRequest, person: Parameters<typeof setPassword>[1], given: string) => {
    checkLength(given);
    return withPasswordTurn(request.ip, () => setPassword(env, person, given)).catch((error: unknown) => {
      throw error instanceof OperatorError ? new ApiError([errors.badRequest(error.message)]) : error;
    });
  };
}

function checkLength(given: string): void {
  if (given.length < 12) {
    throw new ApiError([errors.refused(422, 'Too short', 'A password has at least 12 characters.')]);
  }
}

const noMail = errors.refused(409, 'No e-mails', 'This server sends no e-mails. Ask the operator for a link.');
const wrongPassword = errors.refused(403, 'Wrong password', 'The current password is not right.');
const wrongCode = errors.refused(422, 'Wrong code', 'The code is not right. Is the time of your phone right?');
const wrongPasskey = errors.refused(422, 'Passkey refused', 'The passkey could not be checked. Try again.');
const deadLink = errors.refused(410, 'Link not valid', 'This link was used before, or is too old. Ask for a new one.');
