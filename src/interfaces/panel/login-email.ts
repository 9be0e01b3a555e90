/**
 * `/panel/v1/login/email`: another e-mail address for the own login. It takes effect when a link that was sent to the
 * new address is opened; the old address is told.
 */
import type { FastifyInstance } from 'fastify';
import { isEmailAddress, trimmedAddress } from '../../base/email-address.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { type Person, tableOf } from '../../business/accounts/people.ts';
import { scheduleSecurityNotice } from '../../business/mail/security-notice.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { shape } from '../../engines/typed-schema.ts';
import { provenAsker } from './confirmation.ts';
import type { PanelOptions } from './context.ts';
import { countDaily } from './daily-limits.ts';
import { makeLink, takeLink } from './logins.ts';
import { canMailLinks, mailLink } from './mailed-links.ts';
import { bodyOf } from './plain-routes.ts';
import { requirePanel } from './sign-in.ts';
import { auditSession } from './sign-in-audit.ts';

const text = shape.string({ minLength: 1, maxLength: 1000 });
export const newEmailBody = shape.object({ current: shape.optional(text), email: text });
export const emailLinkBody = shape.object({ token: text });
const wanted = bodyOf(newEmailBody, 'An e-mail address is needed.');
const link = bodyOf(emailLinkBody, 'A link is needed.');

/** Confirmations that a login may ask for in a day, and an address may get. */
const perDay = { login: 5, address: 3 } as const;

export function registerLoginEmail(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/login/email', async (request, reply) => {
    const { login, person } = await provenAsker(env, request, options);
    const email = addressIn(wanted(request).email);
    if (!canMailLinks(env)) throw new ApiError([noMail]);
    await inTransaction(env.db, async (db) => {
      await countDaily(db, env, [
        { subject: `e-mail of login ${login.id}`, limit: perDay.login },
        { subject: `mail to ${email.toLowerCase()}`, limit: perDay.address },
      ]);
      const token = await makeLink({ ...env, db }, person, 'email', email);
      await mailLink({ ...env, db }, { email, accountId: person.accountId }, 'email', token);
    });
    return reply.code(202).send({});
  });

  /** Whoever has the link owns the address; no session is needed, and none is opened. */
  app.post('/login/email/confirm', async (request, reply) => {
    requirePanel(env, request);
    const taken = await takeLink(env, link(request).token, ['email']);
    if (taken?.email == null || (taken.person.kind === 'operator' && !options.operators)) {
      throw new ApiError([deadLink]);
    }
    await changeEmail(env, taken.person, taken.email, request.ip);
    await auditSession(env, request, 'login.email_changed', { ...taken.person, email: taken.email });
    return reply.code(204).send();
  });
}

async function changeEmail(env: Environment, person: Person, email: string, source: string): Promise<void> {
  const taken = () => new ApiError([errors.conflict('This e-mail address has a login already.')]);
  const constraints = { accounts_email_key: taken, account_members_email: taken, operators_email: taken };
  await withConstraintErrors(constraints, () =>
    inTransaction(env.db, async (trx) => {
      await trx.updateTable(tableOf[person.kind]).set({ email }).where('id', '=', person.id).execute();
      await scheduleSecurityNotice(trx, env, person, { change: 'email', source });
    }),
  );
}

function addressIn(sent: string): string {
  const email = trimmedAddress(sent);
  if (!isEmailAddress(email)) throw new ApiError([noAddress]);
  return email;
}

const noAddress = errors.refused(422, 'Not an e-mail address', 'This is not an e-mail address.');
const noMail = errors.refused(
  409,
  'No e-mails',
  'This server sends no e-mails, so the address cannot be confirmed. Ask the operator to change it.',
);
const deadLink = errors.refused(410, 'Link not valid', 'This link was used before, or is too old. Ask for a new one.');
