import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { TakenNumber } from './take-numbers.ts';

export interface Place {
  orderId: string;
  position: number;
  accountId: string;
  groupId: string;
  skuId: string;
  channelsIncludedCount: number;
  billingCyclesCount: number | null;
  now: Date;
}

/** Numbers an order has got, not yet handed over: they are nobody else's any more, and nobody sees them. */
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
