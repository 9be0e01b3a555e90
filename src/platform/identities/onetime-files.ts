import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** Decided submissions stay on record when their address goes; the papers that came with them do not. */
export async function eraseOnetimeFiles(trx: Kysely<Schema>, addressIds: readonly string[]): Promise<void> {
  await sql`
    delete from kept_files k using address_verifications v
    where v.id = k.address_verification_id and v.address_id = any(${addressIds}::uuid[])
  `.execute(trx);
}
