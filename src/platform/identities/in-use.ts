import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/**
 * What keeps addresses from being deleted, one sentence each: a submission under review, or an emergency service that has
 * not ended, by the address it runs on or by the one that was submitted last.
 */
export async function usesOfAddresses(trx: Kysely<Schema>, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ kind: 'verification' | 'service'; reference: string }>`
    select 'verification' as kind, v.reference from address_verifications v
    where v.address_id = any(${ids}::uuid[]) and v.status = 'pending'
    union
    select 'service', s.reference from emergency_verifications v
      join emergency_calling_services s on s.id = v.emergency_calling_service_id
    where v.address_id = any(${ids}::uuid[]) and s.status <> 'canceled' and v.seq in (
      select max(w.seq) from emergency_verifications w where w.emergency_calling_service_id = s.id
      union all
      select max(w.seq) from emergency_verifications w
      where w.emergency_calling_service_id = s.id and w.status = 'approved')
    order by 1 desc, 2
  `.execute(trx);
  return rows.map(({ kind, reference }) =>
    kind === 'verification'
      ? `The address verification ${reference} is pending.`
      : `The emergency calling service ${reference} is not canceled.`,
  );
}
