/** `/panel/v1/login/…`: links that set a password or a new e-mail address, and who may ask for them. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { checkPassword } from '../../business/accounts/passwords.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { shape } from '../../engines/typed-schema.ts';
import { requireProof } from './confirmation.ts';
import type { PanelOptions } from './context.ts';
import { forgottenTask } from './forgotten-password.ts';
import { linkPath, makeLink, takeLink } from './logins.ts';
import { canMailLinks, mailLink } from './mailed-links.ts';
import { refuseWeak, storePassword } from './own-login.ts';
import { bodyOf } from './plain-routes.ts';
import { requirePanel, requireSession, tooManyAttempts } from './sign-in.ts';
import { attemptsOf } from './sign-in-attempts.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
export const passwordLinkBody = shape.object({ token: text, password: text });
export const forgottenBody = shape.object({ email: text });
export const linkForBody = shape.object({ account_id: shape.optional(text), operator_id: shape.optional(text) });
const link = bodyOf(passwordLinkBody, 'A link and a new password are needed.');
const forgotten = bodyOf(forgottenBody, 'An e-mail address is needed.');
const whose = bodyOf(linkForBody, 'The id of an account or of an operator is needed.');

export function registerLoginLinks(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/login/set', async (request, reply) => {
    requirePanel(env, request);
    const sent = link(request);
    // Before the link is used up.
    await checkPassword(sent.password).catch(refuseWeak);
    const taken = await takeLink(env, sent.token, ['reset', 'invitation']);
    if (taken === null || (taken.person.kind === 'operator' && !options.operators)) throw new ApiError([deadLink]);
    await storePassword(env, request, taken.person, sent.password);
    await auditSession(env, request, 'login.password_changed', taken.person, { by: 'link' });
    return reply.code(204).send();
  });

  app.get('/login/forgotten', async (_request, reply) => reply.send({ by_email: canMailLinks(env) }));

  /** The same work and the same response whether somebody has this address or not: the rest is a job's. */
  app.post('/login/forgotten', async (request, reply) => {
    requirePanel(env, request);
    const { email } = forgotten(request);
    if (!canMailLinks(env)) throw new ApiError([noMail]);
    const attempts = attemptsOf(env, [`forgotten ${email.trim().toLowerCase()}`], request.ip);
    const { waitSeconds } = await attempts.begin();
    if (waitSeconds > 0) throw new ApiError([tooManyAttempts], { 'retry-after': String(waitSeconds) });
    await attempts.check(async () => null);
    await env.jobs.add(env.db, forgottenTask, { email: email.trim(), operators: options.operators });
    return reply.code(202).send({});
  });

  /** An operator makes a link for a customer who has lost the password; an owner also for another operator. */
  app.post('/login/links', async (request, reply) => {
    requirePanel(env, request);
    const session = await requireSession(env, request, options);
    const { operator } = session;
    const { account_id: accountId, operator_id: operatorId } = whose(request);
    const person =
      accountId !== undefined
        ? ({ kind: 'account', id: accountId } as const)
        : ({ kind: 'operator', id: operatorId ?? '' } as const);
    const roles = person.kind === 'account' ? ['owner', 'support'] : ['owner'];
    if (operator === null || !roles.includes(operator.role)) {
      throw new ApiError([errors.forbidden(`This needs an operator with the role ${roles.join(' or ')}.`)]);
    }
    requireProof(env, session, request);
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
}

const noMail = errors.refused(409, 'No e-mails', 'This server sends no e-mails. Ask the operator for a link.');
const deadLink = errors.refused(410, 'Link not valid', 'This link was used before, or is too old. Ask for a new one.');
