import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/**
 * Who hands paperwork in holds the identity and its address as they are; who takes paperwork away waits for that, and
 * then sees the submission. Without it, both could look before either has written.
 */
export async function holdPaperwork(trx: Kysely<Schema>, addressId: string): Promise<void> {
  await sql`
    select from identities i join addresses a on a.identity_id = i.id where a.id = ${addressId} for share of i, a
  `.execute(trx);
}

/** For taking away: nobody hands in, or takes away, anything of the identity meanwhile. */
export async function lockIdentity(
  trx: Kysely<Schema>,
  of: { identityId: string | null; addressId: string | null },
): Promise<void> {
  await sql`
    select from identities i
    where i.id = ${of.identityId} or i.id = (select a.identity_id from addresses a where a.id = ${of.addressId})
    for update
  `.execute(trx);
}
