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
}

/** Locks the number's row until the transaction ends. */
export async function findDid(trx: Kysely<Schema>, id: string): Promise<OwnedDid | null> {
  const { rows } = await sql<OwnedDid>`
    select d.*, g.country_id, g.allow_additional_channels, s.monthly_price, a.vat_rate,
           i.nrc as paid_nrc, i.mrc as paid_mrc
    from dids d
      join did_groups g on g.id = d.did_group_id
      join stock_keeping_units s on s.id = d.sku_id
      join accounts a on a.id = d.account_id
      join order_items i on i.order_id = d.order_id and i.position = d.order_position
    where d.id = ${id}
    for update of d
  `.execute(trx);
  return rows[0] ?? null;
}
