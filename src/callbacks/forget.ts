/** Deletes the log of attempts after 30 days, by whole months, and erases personal text from callbacks on request. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { handle } from '../jobs/handler.ts';
import { forgetDeliveriesTask } from './tasks.ts';

export const keptDays = 30;

export const forgetDeliveries = handle(forgetDeliveriesTask, async (_payload, { env }) => {
  const before = keptSince(env.clock.now());
  await sql`select drop_month_partitions('delivery_attempts', ${before})`.execute(env.db);
  await env.db.deleteFrom('deliveries').where('finished_at', '<', before).execute();
});

export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000);
}

/**
 * Empties `member` in every callback of the account about these resources, and the logged requests of their attempts.
 */
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
