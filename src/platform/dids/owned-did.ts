import { type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** A number with what its rules need: its group, its price, and what was paid for it. */
export interface OwnedDid extends Selectable<Schema['dids']> {
  country_id: string;
  allow_additional_channels: boolean;
  monthly_price: string;
  vat_rate: string;
  /** Per number, VAT included. */
  paid_nrc: string;
  paid_mrc: string;
  order_pending: boolean;
  /** Cancelled with a refund while its order was pending: it leaves the account at once. */
  given_back: boolean;
}

/** Locks the number's row until the transaction ends, and before it the order that may still hold its money. */
export async function findDid(trx: Kysely<Schema>, id: string): Promise<OwnedDid | null> {
  await sql`
    select from orders where id = (select order_id from dids where id = ${id}) and status = 'pending' for no key update
  `.execute(trx);
  const { rows } = await sql<OwnedDid>`
    select d.*, g.country_id, g.allow_additional_channels, s.monthly_price, a.vat_rate,
           i.nrc as paid_nrc, i.mrc as paid_mrc, o.status = 'pending' as order_pending,
           d.number = any (i.declined) as given_back
    from dids d
      join did_groups g on g.id = d.did_group_id
      join stock_keeping_units s on s.id = d.sku_id
      join accounts a on a.id = d.account_id
      join orders o on o.id = d.order_id
      join order_items i on i.order_id = d.order_id and i.position = d.order_position
    where d.id = ${id}
    for update of d
  `.execute(trx);
  return rows[0] ?? null;
}
