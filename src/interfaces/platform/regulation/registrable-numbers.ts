/** Numbers as a registration sees them: the requirement of each, and the review it is in. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';

export interface RegistrableNumber {
  id: string;
  number: string;
  did_group_id: string;
  /** Null if it needs no registration. */
  requirement_id: string | null;
  awaiting_registration: boolean;
  /** The submission that waits for a reviewer; null if there is none. */
  pending_verification_id: string | null;
}

/** SQL: the requirement of the number `d` in the group `g`. */
export const requirementOfNumber =
  'q.country_id = g.country_id and q.did_group_type_id = g.did_group_type_id and g.needs_registration';

/** SQL: the submission of the number `d` that waits for a reviewer. */
export const pendingVerificationOfNumber = `(
  select v.id from address_verification_dids l join address_verifications v on v.id = l.address_verification_id
  where l.did_id = d.id and v.status = 'pending' limit 1)`;

/** The account's numbers with these ids. `lock` keeps them in the account until the transaction ends. */
export async function loadNumbers(
  db: Kysely<Schema>,
  accountId: string,
  ids: readonly string[],
  { lock = false } = {},
): Promise<RegistrableNumber[]> {
  const { rows } = await sql<RegistrableNumber>`
    select d.id, d.number, d.did_group_id, d.awaiting_registration, q.id as requirement_id,
      ${sql.raw(pendingVerificationOfNumber)} as pending_verification_id
    from dids d
      join did_groups g on g.id = d.did_group_id
      left join address_requirements q on ${sql.raw(requirementOfNumber)}
    where d.id = any(${ids}::uuid[]) and d.account_id = ${accountId} and d.activated_at is not null
    order by d.id ${sql.raw(lock ? 'for update of d' : '')}
  `.execute(db);
  return rows;
}

/** Number groups that are subject to the same requirement. */
interface NumbersByRequirement {
  requirement_id: string;
  did_group_ids: string[];
}

export function byRequirement(numbers: readonly RegistrableNumber[]): NumbersByRequirement[] {
  const groups = new Map<string, Set<string>>();
  for (const { requirement_id, did_group_id } of numbers) {
    if (requirement_id === null) continue;
    const known = groups.get(requirement_id) ?? new Set();
    groups.set(requirement_id, known.add(did_group_id));
  }
  return [...groups].map(([requirement_id, ids]) => ({ requirement_id, did_group_ids: [...ids] }));
}
