import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { lockIdentity } from './paperwork-in-use.ts';

/** Paper that a reviewer is about to look at cannot be taken away. */
export async function refuseUnderReview(
  trx: Kysely<Schema>,
  of: { identityId: string | null; addressId: string | null },
): Promise<void> {
  await lockIdentity(trx, of);
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from address_verifications v join addresses a on a.id = v.address_id
      where v.status = 'pending' and (a.identity_id = ${of.identityId}::uuid or a.id = ${of.addressId}::uuid)
    ) as used
  `.execute(trx);
  if (rows[0]?.used) refuse(invalid.base('is used by a verification under review'));
}
