import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../db/schema.ts';

/** Whether a submission under review, or an emergency service that is not over, speaks of one of the addresses. */
export async function addressesInUse(trx: Kysely<Schema>, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from address_verifications v where v.address_id = any(${ids}::uuid[]) and v.status = 'pending'
    ) or exists (
      select from emergency_verifications v
        join emergency_calling_services s on s.id = v.emergency_calling_service_id
      where v.address_id = any(${ids}::uuid[]) and s.status <> 'canceled'
    ) as used
  `.execute(trx);
  return rows[0]?.used === true;
}
