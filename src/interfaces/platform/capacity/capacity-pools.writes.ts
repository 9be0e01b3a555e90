/** Locks a capacity pool with its prices, and reduces its channels. */

import { type Kysely, sql } from 'kysely';
import { listPrice } from '../../../business/billing/vat.ts';
import { parseAmount, type Taxed } from '../../../business/money/decimal.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import type { capacityPoolMembers } from './capacity-pools.members.ts';

export interface LockedPool {
  id: string;
  account_id: string;
  renew_date: string;
  renew_day: number;
  total_channels_count: number;
  assigned_channels_count: number;
  suspended: boolean;
  minimum_limit: number;
  minimum_qty_per_order: number;
  /** Price per channel if the pool has this many channels. */
  priceFor(channels: number): { setup: Taxed; monthly: Taxed };
}

interface ListedPrice {
  setup_price: string;
  monthly_price: string;
}

interface PoolRow extends Omit<LockedPool, 'priceFor'>, ListedPrice {
  vat_rate: string;
  pricings: (ListedPrice & { qty: number })[];
}

/** Locks a pool until the transaction ends. Returns null if it does not exist or belongs to another account. */
export async function lockPool(trx: Kysely<Schema>, id: string, accountId: string | null): Promise<LockedPool | null> {
  const { rows } = await sql<PoolRow>`
    select p.id, p.account_id, p.renew_date, p.renew_day, p.total_channels_count, p.assigned_channels_count, p.suspended,
           t.minimum_limit, t.minimum_qty_per_order, adjusted_price(a.id, 'channel_setup', t.setup_price) as setup_price,
           adjusted_price(a.id, 'channel_monthly', t.monthly_price) as monthly_price, a.vat_rate,
           coalesce((select json_agg(json_build_object('qty', q.qty,
                       'setup_price', adjusted_price(a.id, 'channel_setup', q.setup_price)::text,
                       'monthly_price', adjusted_price(a.id, 'channel_monthly', q.monthly_price)::text) order by q.qty desc)
                     from capacity_pool_template_pricings q where q.template_id = t.id), '[]') as pricings
    from capacity_pools p join capacity_pool_templates t on t.id = p.template_id join accounts a on a.id = p.account_id
    where p.id = ${id} and (${accountId}::uuid is null or p.account_id = ${accountId}::uuid)
    for update of p
  `.execute(trx);
  const [row] = rows;
  if (!row) return null;
  const { pricings, setup_price, monthly_price, vat_rate, ...pool } = row;
  return {
    ...pool,
    priceFor: (channels) => {
      const listed = pricings.find(({ qty }) => channels >= qty) ?? { setup_price, monthly_price };
      return {
        setup: listPrice(parseAmount(listed.setup_price), vat_rate),
        monthly: listPrice(parseAmount(listed.monthly_price), vat_rate),
      };
    },
  };
}

/**
 * Reduces the channels of a pool: they are not renewed, but not refunded either. More channels are bought with an
 * order.
 */
export async function lowerTotal(
  context: PlatformContext,
  id: string,
  { attributes }: UpdateInput<typeof capacityPoolMembers>,
): Promise<void> {
  const wanted = attributes.total_channels_count;
  if (wanted === undefined) return;
  await inTransaction(context.env.db, async (trx) => {
    const pool = await lockPool(trx, id, callerOf(context).accountId);
    if (!pool || wanted === pool.total_channels_count) return;
    const refused = (message: string) => refuse(invalid.attribute('total_channels_count', message));
    if (wanted > pool.total_channels_count) refused(messages.atMost(pool.total_channels_count));
    const least = Math.max(pool.assigned_channels_count, pool.minimum_limit);
    if (wanted < least) refused(messages.shouldBeAtLeast(least));
    await trx.updateTable('capacity_pools').set({ total_channels_count: wanted }).where('id', '=', id).execute();
  });
}
