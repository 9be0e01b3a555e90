import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../db/schema.ts';

/**
 * Whether a submission under review speaks of one of the addresses, or an emergency service that is not over: by the
 * address it runs on, or by the one that was handed in last.
 */
export async function addressesInUse(trx: Kysely<Schema>, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from address_verifications v where v.address_id = any(${ids}::uuid[]) and v.status = 'pending'
    ) or exists (
      select from emergency_verifications v
        join emergency_calling_services s on s.id = v.emergency_calling_service_id
      where v.address_id = any(${ids}::uuid[]) and s.status <> 'canceled' and v.seq in (
        select max(w.seq) from emergency_verifications w where w.emergency_calling_service_id = s.id
        union all
        select max(w.seq) from emergency_verifications w
        where w.emergency_calling_service_id = s.id and w.status = 'approved')
    ) as used
  `.execute(trx);
  return rows[0]?.used === true;
}
