/** Reads and locks a number with what its rules need. */
import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { storedPrice } from '../../../business/billing/insert-order.ts';
import { listPrice } from '../../../business/billing/vat.ts';
import { parseAmount, type Taxed } from '../../../business/money/decimal.ts';
import type { Schema } from '../../../engines/db/schema.ts';

/** A number with what its rules need: its group, its price, and what was paid for it. */
export interface OwnedDid extends Selectable<Schema['dids']> {
  country_id: string;
  allow_additional_channels: boolean;
  needs_registration: boolean;
  /** Current price of one more month. */
  monthlyPrice: Taxed;
  /** What the order charged for this number. */
  paid: PaidPrice;
  order_pending: boolean;
  /** Cancelled and refunded while its order was pending: it leaves the account at once. */
  given_back: boolean;
}

/** Columns of a number to be written. */
export type DidChange = Updateable<Schema['dids']>;

export interface PaidPrice {
  setup: Taxed;
  monthly: Taxed;
}

interface PriceColumns {
  monthly_price: string;
  account_vat_rate: string;
  nrc: string;
  nrc_vat: string;
  mrc: string;
  mrc_vat: string;
  vat_rate: string;
}

/** Locks the number's row until the transaction ends, after the order that may still hold its money. */
export async function findDid(trx: Kysely<Schema>, id: string): Promise<OwnedDid | null> {
  await sql`
    select from orders where id = (select order_id from dids where id = ${id}) and status = 'pending' for no key update
  `.execute(trx);
  const { rows } = await sql<Omit<OwnedDid, 'monthlyPrice' | 'paid'> & PriceColumns>`
    select d.*, g.country_id, g.allow_additional_channels, g.needs_registration,
           adjusted_price(d.account_id, 'number_monthly', s.monthly_price) as monthly_price, a.vat_rate as account_vat_rate,
           i.nrc, i.nrc_vat, i.mrc, i.mrc_vat, o.vat_rate, o.status = 'pending' as order_pending,
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
  const [row] = rows;
  if (!row) return null;
  const { monthly_price, account_vat_rate, nrc, nrc_vat, mrc, mrc_vat, vat_rate, ...did } = row;
  return {
    ...did,
    monthlyPrice: listPrice(parseAmount(monthly_price), account_vat_rate),
    paid: { setup: storedPrice(nrc, nrc_vat, vat_rate), monthly: storedPrice(mrc, mrc_vat, vat_rate) },
  };
}

export async function writeDid(trx: Kysely<Schema>, id: string, change: DidChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await trx.updateTable('dids').set(change).where('id', '=', id).execute();
}

/** The number has never been usable. A number that lost its registration waits too, but within a paid period. */
export const waitsForFirstRegistration = (did: Pick<OwnedDid, 'awaiting_registration' | 'expires_at'>): boolean =>
  did.awaiting_registration && did.expires_at === null;
