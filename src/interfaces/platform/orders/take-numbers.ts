/**
 * Takes numbers that were missing from stock and reserves them for their order. The transaction that deletes a stock
 * row gets the number.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';

interface TakenNumber {
  number: string;
  nanpa_prefix_id: string | null;
}

export async function takeFromStock(
  trx: Kysely<Schema>,
  wanted: { groupId: string; nanpaPrefixId: string | null; qty: number; declined?: string[]; now: Date },
): Promise<TakenNumber[]> {
  const { groupId, nanpaPrefixId, qty, declined = [], now } = wanted;
  const { rows } = await sql<TakenNumber>`
    select number, nanpa_prefix_id
    from take_stock(${groupId}::uuid, ${nanpaPrefixId}::uuid, ${qty}::int, ${now}, ${declined}::text[])
  `.execute(trx);
  return rows;
}

interface Place {
  orderId: string;
  position: number;
  accountId: string;
  groupId: string;
  skuId: string;
  channelsIncludedCount: number;
  billingCyclesCount: number | null;
  now: Date;
}

/** Stores numbers reserved for a pending order: off the market, not yet visible to the buyer. */
export async function setAside(trx: Kysely<Schema>, place: Place, numbers: readonly TakenNumber[]): Promise<void> {
  if (numbers.length === 0) return;
  await sql`
    insert into dids (account_id, number, nanpa_prefix_id, did_group_id, sku_id, order_id, order_position,
                      channels_included_count, billing_cycles_count, created_at)
    select ${place.accountId}, n.number, n.prefix, ${place.groupId}, ${place.skuId}, ${place.orderId}, ${place.position},
           ${place.channelsIncludedCount}, ${place.billingCyclesCount}, ${place.now}
    from unnest(${numbers.map(({ number }) => number)}::text[],
                ${numbers.map(({ nanpa_prefix_id }) => nanpa_prefix_id)}::uuid[]) as n (number, prefix)
  `.execute(trx);
}
