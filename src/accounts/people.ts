/** The people who can sign in to the panel: an account's own login, the members of its team, and operators. */
import { sql } from 'kysely';
import type { Environment } from '../environment.ts';
import { verifyPassword } from './account-columns.ts';
import { withPasswordTurn } from './password-turns.ts';

export interface Person {
  readonly kind: 'account' | 'member' | 'operator';
  /** Of the account, member or operator. */
  readonly id: string;
  /** Null for operators. */
  readonly accountId: string | null;
  readonly email: string | null;
  readonly passwordHash: string | null;
}

/** Tables of people, as the audit log names what a sign-in is about. */
export const tableOf = { account: 'accounts', member: 'account_members', operator: 'operators' } as const;

/**
 * Everyone with this e-mail address, in any case of letters; of two that differ only in that, first the one that was
 * typed. A person may be an operator and a customer under one address: the password tells them apart.
 */
export async function findPeople(env: Environment, email: string): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select * from (
      select 'account' as kind, id, id as "accountId", email, password_hash as "passwordHash", created_at from accounts
        where lower(email) = lower(${email})
      union all
      select 'member', m.id, m.account_id, m.email, m.password_hash, m.created_at
        from account_members m where lower(m.email) = lower(${email})
      union all
      select 'operator', id, null, email, password_hash, created_at from operators where lower(email) = lower(${email})
    ) people order by email = ${email} desc, created_at`.execute(env.db);
  return rows;
}

/** Whose password it is; null for nobody. An address without anybody costs as much as a wrong password. */
export function personWithPassword(
  people: readonly Person[],
  password: string,
  source: string,
): Promise<Person | null> {
  return withPasswordTurn(source, async () => {
    if (people.length === 0) await verifyPassword(null, password);
    for (const person of people) if (await verifyPassword(person.passwordHash, password)) return person;
    return null;
  });
}
