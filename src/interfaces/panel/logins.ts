/** Logins: what a person has beside the password, and the links by which a new password is set. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { hashKey } from '../../business/accounts/api-keys.ts';
import { hashPassword } from '../../business/accounts/passwords.ts';
import { type Person, tableOf } from '../../business/accounts/people.ts';
import { scheduleSecurityNotice } from '../../business/mail/security-notice.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';

type Whose = Pick<Person, 'kind' | 'id'>;

const columnOf = { account: 'account_id', member: 'member_id', operator: 'operator_id' } as const;

/** The login of a person; made when it is first needed. */
export async function loginOf(env: Environment, { kind, id }: Whose) {
  const column = columnOf[kind];
  await env.db
    .insertInto('panel_logins')
    .values({ [column]: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return env.db.selectFrom('panel_logins').selectAll().where(column, '=', id).executeTakeFirstOrThrow();
}

/** Whose login it is; null if the person is gone. */
export async function personOfLogin(env: Environment, loginId: string): Promise<Person | null> {
  const { rows } = await sql<Person>`
    select 'account' as kind, a.id, a.id as "accountId", a.email, a.password_hash as "passwordHash"
      from panel_logins l join accounts a on a.id = l.account_id where l.id = ${loginId}
    union all
    select 'member', m.id, m.account_id, m.email, m.password_hash
      from panel_logins l join account_members m on m.id = l.member_id where l.id = ${loginId}
    union all
    select 'operator', o.id, null, o.email, o.password_hash
      from panel_logins l join operators o on o.id = l.operator_id where l.id = ${loginId}`.execute(env.db);
  return rows[0] ?? null;
}

interface NewPassword {
  /** The client's address. */
  source: string;
  /** Sessions and passkeys that stay, by id; all others go. */
  keep?: readonly string[];
}

/**
 * The database's triggers end every session of the person and remove the passkeys, whichever way a password is set. The
 * person is told by e-mail.
 */
export async function setPassword(
  env: Environment,
  person: Pick<Person, 'kind' | 'id' | 'email' | 'accountId'>,
  password: string,
  { source, keep = [] }: NewPassword,
): Promise<void> {
  const hash = await hashPassword(password);
  await inTransaction(env.db, async (trx) => {
    await sql`select set_config('trunkline.kept', ${`{${keep.join(',')}}`}, true)`.execute(trx);
    await trx.updateTable(tableOf[person.kind]).set({ password_hash: hash }).where('id', '=', person.id).execute();
    const further = keep.length > 0 ? [] : ['All other browsers were signed out, and passkeys were removed.'];
    await scheduleSecurityNotice(trx, env, person, { change: 'password', source, further });
  });
}

export type LinkPurpose = 'reset' | 'invitation' | 'email';

export const linkHours = { reset: 24, invitation: 7 * 24, email: 24 } as const;

/** A token that works once: it sets a password, or the new e-mail address. A link from before stops working. */
export async function makeLink(
  env: Environment,
  person: Whose,
  purpose: LinkPurpose,
  email: string | null = null,
): Promise<string> {
  const { id } = await loginOf(env, person);
  const token = randomBytes(32).toString('base64url');
  const expires_at = new Date(env.clock.now().getTime() + linkHours[purpose] * 3_600_000);
  await inTransaction(env.db, async (trx) => {
    await trx.deleteFrom('login_links').where('login_id', '=', id).execute();
    await trx
      .insertInto('login_links')
      .values({ token_hash: hashKey(token), login_id: id, purpose, email, expires_at })
      .execute();
  });
  return token;
}

/** After `#`, so that the token is in no log of a server and in no Referer. */
export const linkPath = (token: string, purpose: LinkPurpose = 'reset'): string =>
  `${purpose === 'email' ? '/email' : '/password'}#${token}`;

/** Uses the link up; null if there is none of these that is still valid. */
export async function takeLink(
  env: Environment,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<{ person: Person; email: string | null } | null> {
  const row = await env.db
    .deleteFrom('login_links')
    .where('token_hash', '=', hashKey(token))
    .where('purpose', 'in', purposes)
    .returning(['login_id', 'email', 'expires_at'])
    .executeTakeFirst();
  if (row === undefined || row.expires_at <= env.clock.now()) return null;
  const person = await personOfLogin(env, row.login_id);
  return person && { person, email: row.email };
}
