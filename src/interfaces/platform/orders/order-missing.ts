/** What an order lacks and suppliers have: ordered there without choosing. */
import { type Kysely, sql } from 'kysely';
import { queueStep } from '../../../business/suppliers/purchases/purchase-rows.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';

/**
 * Orders what is missing at a supplier that sells the group, without choosing: it has more than is shown, or takes back
 * orders. Returns the reason if nobody has it and the order may not wait.
 */
export async function orderMissing(trx: Kysely<Schema>, env: Environment, orderId: string): Promise<string | null> {
  const { rows } = await sql<MissingItem>`
    select i.position, i.may_wait, i.wanted::int as wanted, b.*
    from (
      select i.position, i.may_wait, i.did_group_id, i.sku_id, i.nanpa_prefix_id is not null as has_prefix,
        i.missing - coalesce((select sum(o.qty) from open_purchases o
          where o.order_id = i.order_id and o.order_position = i.position and o.number is null), 0) as wanted
      from order_items i where i.order_id = ${orderId} and i.missing > 0
    ) i left join lateral (
      select g.id as group_id, g.supplier_id, o.their_id as offer_id
      from supplier_groups g join suppliers s on s.id = g.supplier_id
        join stock_keeping_units k on k.id = i.sku_id
        join supplier_offers o on o.supplier_group_id = g.id and o.channels_included_count = k.channels_included_count
      where g.did_group_id = i.did_group_id and s.active and g.on_sale and not i.has_prefix
        and (g.unshown > 0 or g.is_available)
      order by g.unshown >= i.wanted desc, o.setup_cost + o.monthly_cost, g.id limit 1
    ) b on true
    where i.wanted > 0 order by i.position`.execute(trx);
  const now = env.clock.now();
  for (const { position, wanted, may_wait, group_id, supplier_id, offer_id } of rows) {
    if (group_id === null || supplier_id === null) {
      if (may_wait) continue;
      return 'the numbers are sold out';
    }
    const { id } = await trx
      .insertInto('supplier_purchases')
      .values({
        supplier_id,
        supplier_group_id: group_id,
        order_id: orderId,
        order_position: position,
        qty: wanted,
        their_offer_id: offer_id,
        allows_back_order: may_wait,
        state: 'ordering',
        created_at: now,
        changed_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await sql`update supplier_groups set unshown = greatest(0, unshown - ${wanted}) where id = ${group_id}`.execute(
      trx,
    );
    await queueStep(trx, env, { id, supplier_id });
  }
  return null;
}

interface MissingItem {
  position: number;
  wanted: number;
  may_wait: boolean;
  group_id: string | null;
  supplier_id: string | null;
  offer_id: string | null;
}

/** Whether numbers of the order are still to come from suppliers. */
export async function awaitsSuppliers(trx: Kysely<Schema>, orderId: string): Promise<boolean> {
  const open = await trx.selectFrom('open_purchases').select('id').where('order_id', '=', orderId).limit(1).execute();
  return open.length > 0;
}
