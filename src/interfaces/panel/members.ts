/**
 * `members` of `/panel/v1`: the people of an account beside its own login. Inviting one makes a link, shown once, and
 * sent by e-mail where that is set up.
 */

import { isEmailAddress, trimmedAddress } from '../../base/email-address.ts';
import { madeByOperator } from '../../business/accounts/acting.ts';
import { memberRoleTexts } from '../../business/accounts/member-roles.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { boolean, text } from '../../engines/jsonapi/attributes.ts';
import { invalid, refuse } from '../../engines/jsonapi/errors.ts';
import { anyOf, contains } from '../../engines/jsonapi/filters.ts';
import type { CreateOf, UpdateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext, withShownOnce } from './context.ts';
import { countDaily } from './daily-limits.ts';
import { linkPath, makeLink } from './logins.ts';
import { mailLink } from './mailed-links.ts';
import { personOf } from './sign-in.ts';
import { auditSession } from './sign-in-audit.ts';

const states = { invited: 'The invitation is not accepted yet.', active: 'Can sign in.' };
const state = "case when t.password_hash is null then 'invited' else 'active' end";

const memberAttributes = {
  email: text({ write: 'create', required: true, maxLength: 320, doc: 'The login; used once.' }),
  role: text({ write: 'both', required: true, values: memberRoleTexts, doc: 'What the person may change.' }),
  state: text({ values: states, column: state, doc: 'Whether the person has a password.' }),
  invitation: text({
    nullable: true,
    column: 't.shown_once',
    doc: 'The path of the page on which the person sets a password, in the response to the invitation only.',
  }),
  created_at: createdAt,
  made_by_operator: boolean({
    column: madeByOperator('members'),
    doc: 'Whether an operator made it who acted as this customer.',
  }),
};

export const members = owned('members', {
  group: 'Panel',
  noun: 'member',
  deleteVerb: 'Remove',
  summary: 'A person who signs in to the panel of this account.',
  from: withShownOnce('account_members'),
  attributes: memberAttributes,
  filters: { email: contains('t.email'), role: anyOf('t.role', { values: memberRoleTexts }) },
  sort: ['email', 'created_at'],
  defaultSort: 'email',
  refusals: { account_members_email: invalid.attribute('email', 'has already been taken') },
  create: inviteMember,
  update: changeRole,
  delete: removeMember,
});

/** Invitations in a day: each is an e-mail to somebody who did not ask for it. */
const perDay = { account: 20, address: 3 } as const;

async function inviteMember(
  context: PanelContext,
  { attributes }: CreateOf<typeof memberAttributes, object>,
): Promise<string> {
  const email = trimmedAddress(attributes.email);
  if (!isEmailAddress(email)) refuse(invalid.attribute('email', 'is invalid'));
  const { accountId } = callerOf(context);
  const id = await inTransaction(context.env.db, async (trx) => {
    const env = { ...context.env, db: trx };
    await countDaily(trx, env, [
      { subject: `invitations of ${accountId}`, limit: perDay.account },
      { subject: `mail to ${email.toLowerCase()}`, limit: perDay.address },
    ]);
    const { id: memberId } = await trx
      .insertInto('account_members')
      .values({ account_id: accountId, email, role: attributes.role, created_at: context.now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const token = await makeLink(env, { kind: 'member', id: memberId }, 'invitation');
    context.shownOnce.secret = linkPath(token);
    await mailLink(env, { email, accountId }, 'invitation', token);
    return memberId;
  });
  await audit(context, 'login.member_invited', { member: id, role: attributes.role });
  return id;
}

/** The engine has found the member in this account. */
async function changeRole(
  context: PanelContext,
  id: string,
  { attributes }: UpdateOf<typeof memberAttributes, object>,
): Promise<void> {
  if (attributes.role === undefined) return;
  await context.env.db.updateTable('account_members').set({ role: attributes.role }).where('id', '=', id).execute();
  await audit(context, 'login.member_changed', { member: id, role: attributes.role });
}

async function removeMember(context: PanelContext, id: string): Promise<void> {
  await context.env.db.deleteFrom('account_members').where('id', '=', id).execute();
  await audit(context, 'login.member_removed', { member: id });
}

const audit = (
  { env, address, session }: PanelContext,
  action: Parameters<typeof auditSession>[2],
  after: Record<string, unknown>,
) => auditSession(env, { ip: address }, action, personOf(session), after);
