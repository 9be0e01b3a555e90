import { randomInt } from 'node:crypto';
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { type Amount, formatTrimmed, parseAmount, toSql } from '../../money/decimal.ts';

export type NewOrder = Omit<Insertable<Schema['orders']>, 'reference' | 'seq' | 'amount' | 'refunded'> & {
  id: string;
  amount: Amount;
};
export type NewOrderItem = Omit<Insertable<Schema['order_items']>, 'order_id' | 'position' | 'declined'>;

/** Writes an order and its items under a reference that nobody has. */
export async function insertOrder(trx: Kysely<Schema>, order: NewOrder, items: readonly NewOrderItem[]): Promise<void> {
  const numbered = JSON.stringify(items.map((item, position) => ({ ...item, position })));
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      with opened as (
        insert into orders (id, account_id, reference, kind, description, amount, status, callback_url, callback_method,
                            external_reference_id, sealed_signing_key, created_at, finished_at)
        values (${order.id}, ${order.account_id}, ${newReference()}, ${order.kind}, ${order.description},
                ${toSql(order.amount)}, ${order.status}, ${order.callback_url ?? null}, ${order.callback_method ?? null},
                ${order.external_reference_id ?? null}, ${order.sealed_signing_key ?? null}, ${order.created_at},
                ${order.finished_at ?? null})
        on conflict (reference) do nothing
        returning id
      )
      insert into order_items (order_id, position, type, qty, nrc, mrc, prorated_mrc, billed_from, billed_to, did_group_id,
        sku_id, nanpa_prefix_id, billing_cycles_count, missing, capacity_pool_id, emergency_calling_service_id)
      select opened.id, i.position, i.type, i.qty, i.nrc, i.mrc, coalesce(i.prorated_mrc, false), i.billed_from,
             i.billed_to, i.did_group_id, i.sku_id, i.nanpa_prefix_id, i.billing_cycles_count, coalesce(i.missing, 0),
             i.capacity_pool_id, i.emergency_calling_service_id
      from opened, json_populate_recordset(null::order_items, ${numbered}::json) i
      returning order_id as id
    `.execute(trx);
    if (rows.length === items.length) return;
  }
}

/** What all items cost together: quantity times setup and month, per item. */
export function totalOf(items: readonly Pick<NewOrderItem, 'qty' | 'nrc' | 'mrc'>[]): Amount {
  return items.reduce((sum, { qty, nrc, mrc }) => sum + BigInt(qty) * (parseAmount(nrc) + parseAmount(mrc)), 0n);
}

/** What the customer has paid for it: numbers that were given back while it was pending are not part of it any more. */
export function paidFor(order: { amount: string; refunded: string }): string {
  return formatTrimmed(parseAmount(order.amount) - parseAmount(order.refunded));
}

/** Three capitals, a dash, six digits. */
function newReference(): string {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + randomInt(26))).join('');
  return `${letters}-${String(randomInt(1_000_000)).padStart(6, '0')}`;
}
