/** Takes words about a person out of callbacks: those still to be sent or sent again, and the log of what was sent. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';

/** `member` becomes empty in every callback of the account about these resources; what the attempts carried is gone. */
export async function eraseFromCallbacks(
  trx: Kysely<Schema>,
  about: { accountId: string; resourceIds: readonly string[]; member: string },
): Promise<void> {
  await sql`
    with erased as (
      update deliveries set payload = jsonb_set(payload, array[${about.member}::text], '""')
      where account_id = ${about.accountId} and resource_id = any(${about.resourceIds}::uuid[])
        and payload ->> ${about.member}::text <> ''
      returning id
    )
    delete from delivery_attempts a using erased where a.delivery_id = erased.id`.execute(trx);
}
