/** Moves numbers from an order to their account, and from their account back to stock. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { endOfPeriods } from '../../../business/billing/calendar.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { DidMethod } from '../../../engines/db/tables/dids.ts';
import type { Environment } from '../../../engines/environment.ts';
import { recordHistory } from './did-history.ts';
import { defaultRegistrationDays } from './due-dates.ts';

/** Activates the numbers reserved for an order: from now on their account can see and use them. */
export async function activateNumbers(trx: Kysely<Schema>, orderId: string, now: Date): Promise<void> {
  await sql`
    select activate_order_numbers(array[${orderId}::uuid], ${now}::timestamptz, ${endOfPeriods(now, 1)}::timestamptz,
                                  ${defaultRegistrationDays}::int)
  `.execute(trx);
}

interface Removed {
  account_id: string;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
  order_id: string;
  activated_at: Date | null;
}

/**
 * Removes numbers from their account and returns them to stock, except those that an operator holds and those that go
 * back to a supplier; `where` selects rows of `dids d`.
 */
export async function returnToStock(
  trx: Kysely<Schema>,
  env: Environment,
  { where, method, now }: { where: RawBuilder<unknown>; method: DidMethod; now: Date },
): Promise<void> {
  const { rows } = await sql<Removed>`
    delete from dids d where ${where}
    returning d.account_id, d.number, d.did_group_id, d.nanpa_prefix_id, d.order_id, d.activated_at
  `.execute(trx);
  if (rows.length === 0) return;
  await sql`
    insert into available_dids (number, did_group_id, nanpa_prefix_id)
    select r.number, r.did_group_id, r.nanpa_prefix_id from unnest(${rows.map(({ number }) => number)}::text[], ${rows.map((row) => row.did_group_id)}::uuid[],
                           ${rows.map((row) => row.nanpa_prefix_id)}::uuid[], ${rows.map(({ order_id }) => order_id)}::uuid[])
      as r (number, did_group_id, nanpa_prefix_id, order_id)
    where not exists (select from held_numbers h where h.number = r.number)
      and not exists (select from supplier_purchases p where p.order_id = r.order_id and p.number = r.number)
  `.execute(trx);
  // Numbers that were only reserved for an order were never visible, so they have no history.
  const seen = rows.filter(({ activated_at }) => activated_at !== null);
  const entries = seen.map(({ account_id, number }) => ({
    accountId: account_id,
    number,
    action: 'removed' as const,
    method,
  }));
  await recordHistory(trx, env, entries, now);
}
