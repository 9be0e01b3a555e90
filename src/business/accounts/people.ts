/** The people who can sign in to the panel: an account's own login, the members of its team, and operators. */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';
import { withPasswordTurn } from './password-turns.ts';
import { verifyPassword } from './passwords.ts';

export interface Person {
  readonly kind: PersonKind;
  /** Of the account, member or operator. */
  readonly id: string;
  /** Null for operators. */
  readonly accountId: string | null;
  readonly email: string | null;
  readonly passwordHash: string | null;
}

/** The order in which passwords are tried. */
export const personKinds = ['account', 'member', 'operator'] as const;
export type PersonKind = (typeof personKinds)[number];

/** Tables of people, as the audit log names what a sign-in is about. */
export const tableOf = { account: 'accounts', member: 'account_members', operator: 'operators' } as const;

/**
 * For each kind, the person with this e-mail address, ignoring case. If two accounts differ in case only, the exact
 * match counts, otherwise the older one. A person may be an operator and a customer under one address: the password
 * tells them apart.
 */
export async function findPeople(env: Environment, email: string): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select distinct on (kind) * from (
      select 'account' as kind, id, id as "accountId", email, password_hash as "passwordHash", created_at from accounts
        where lower(email) = lower(${email})
      union all
      select 'member', m.id, m.account_id, m.email, m.password_hash, m.created_at
        from account_members m where lower(m.email) = lower(${email})
      union all
      select 'operator', id, null, email, password_hash, created_at from operators where lower(email) = lower(${email})
    ) people order by kind, email = ${email} desc, created_at`.execute(env.db);
  return rows;
}

/**
 * Returns the person whose password it is, or null. A missing candidate costs as much as one with another password, so
 * the time that a wrong password takes does not reveal who has the address.
 */
export function personWithPassword(
  candidates: readonly (Person | null)[],
  password: string,
  source: string,
): Promise<Person | null> {
  return withPasswordTurn(source, async () => {
    for (const person of candidates) {
      if (await verifyPassword(person?.passwordHash ?? null, password)) return person;
    }
    return null;
  });
}
