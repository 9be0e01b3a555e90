/**
 * Writes orders (purchases, and every other charge that the customer sees) and announces when one is no longer pending.
 */
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { OrderItemType, OrderStatus } from '../../engines/db/tables/orders.ts';
import type { Environment } from '../../engines/environment.ts';
import { type ReportedRecord, scheduleReport } from '../callbacks/schedule-callback.ts';
import { free, grossOf, minus, parseAmount, plus, type Taxed, times, toSql } from '../money/decimal.ts';
import { newReference } from '../reference.ts';

type OrderRow = Selectable<Schema['orders']>;

/** Where the completion of an order is announced; empty for automatic charges. */
export type OrderCallback = Pick<OrderRow, 'callback_url' | 'callback_method' | 'sealed_signing_key'>;

export const noCallback: OrderCallback = { callback_url: null, callback_method: null, sealed_signing_key: null };

export interface NewOrder extends OrderCallback {
  id: string;
  account_id: string;
  kind: OrderRow['kind'];
  description: string;
  status: OrderRow['status'];
  external_reference_id?: string | null;
  /** How it was made; automatic charges are the system's. */
  method?: OrderRow['method'];
  created_at: Date;
}

/** The columns of all kinds of items, and those that only some have. */
export interface NewOrderItem extends Partial<ItemSubject> {
  type: OrderItemType;
  qty: number;
  /** Price per unit. */
  setup: Taxed;
  monthly: Taxed;
  isProrated?: boolean;
  billed_from: string | null;
  billed_to: string | null;
}

type ItemSubject = Pick<
  Insertable<Schema['order_items']>,
  | 'did_group_id'
  | 'sku_id'
  | 'nanpa_prefix_id'
  | 'billing_cycles_count'
  | 'missing'
  | 'capacity_pool_id'
  | 'emergency_calling_service_id'
>;

/** Inserts an order and its items under a new unique reference. */
export async function insertOrder(trx: Kysely<Schema>, order: NewOrder, items: readonly NewOrderItem[]): Promise<void> {
  const rows = JSON.stringify(items.map(itemRow));
  const total = totalOf(items);
  const finishedAt = order.status === 'pending' ? null : order.created_at;
  for (;;) {
    const row = orderRow(order, total);
    const inserted = await sql<{ id: string }>`
      with opened as (
        insert into orders (id, account_id, reference, kind, description, amount, vat_rate, status, callback_url,
                            callback_method, external_reference_id, sealed_signing_key, created_at, finished_at, method)
        values (${row.id}, ${row.account_id}, ${row.reference}, ${row.kind}, ${row.description}, ${row.amount},
                ${row.vat_rate}, ${row.status}, ${row.callback_url}, ${row.callback_method},
                ${row.external_reference_id ?? null}, ${row.sealed_signing_key}, ${row.created_at}, ${finishedAt}, ${row.method ?? 'system'})
        on conflict (reference) do nothing
        returning id
      )
      insert into order_items (order_id, position, type, qty, nrc, nrc_vat, mrc, mrc_vat, prorated_mrc, billed_from,
        billed_to, did_group_id, sku_id, nanpa_prefix_id, billing_cycles_count, missing, capacity_pool_id,
        emergency_calling_service_id)
      select opened.id, i.position, i.type, i.qty, i.nrc, i.nrc_vat, i.mrc, i.mrc_vat, i.prorated_mrc, i.billed_from,
             i.billed_to, i.did_group_id, i.sku_id, i.nanpa_prefix_id, i.billing_cycles_count, coalesce(i.missing, 0),
             i.capacity_pool_id, i.emergency_calling_service_id
      from opened, json_populate_recordset(null::order_items, ${rows}::json) i
      returning order_id as id
    `.execute(trx);
    if (inserted.rows.length === items.length) return;
  }
}

/** The columns of an order, under a new reference that may be taken already. */
export function orderRow(order: NewOrder, total: Taxed) {
  return { ...order, reference: newReference(), amount: toSql(grossOf(total)), vat_rate: total.vatRate };
}

/** The columns of an item, with its tax apart. */
export function itemRow({ setup, monthly, isProrated = false, ...item }: NewOrderItem, position: number): object {
  const nrc = { nrc: toSql(grossOf(setup)), nrc_vat: toSql(setup.vat) };
  const mrc = { mrc: toSql(grossOf(monthly)), mrc_vat: toSql(monthly.vat) };
  return { ...item, ...nrc, ...mrc, prorated_mrc: isProrated, position };
}

/** Sum of all items: quantity times setup plus monthly price. */
export function totalOf(items: readonly Pick<NewOrderItem, 'qty' | 'setup' | 'monthly'>[]): Taxed {
  return items
    .map(({ qty, setup, monthly }) => times(plus(setup, monthly), qty))
    .reduce(plus, free(items[0]?.setup.vatRate ?? '0'));
}

/** What the customer paid for a stored order, minus refunds. */
export async function paidFor(trx: Kysely<Schema>, orderId: string, vatRate: string): Promise<Taxed> {
  const items = await trx
    .selectFrom('order_items')
    .select(['qty', 'nrc', 'nrc_vat', 'mrc', 'mrc_vat', 'refunded', 'refunded_vat'])
    .where('order_id', '=', orderId)
    .execute();
  return items
    .map((item) => {
      const unit = plus(storedPrice(item.nrc, item.nrc_vat, vatRate), storedPrice(item.mrc, item.mrc_vat, vatRate));
      return minus(times(unit, item.qty), storedPrice(item.refunded, item.refunded_vat, vatRate));
    })
    .reduce(plus, free(vatRate));
}

/** Builds a price from the columns of an item: gross amount and VAT. */
export function storedPrice(gross: string, vat: string, vatRate: string): Taxed {
  return { net: parseAmount(gross) - parseAmount(vat), vat: parseAmount(vat), vatRate };
}

type AnnouncedOrder = ReportedRecord & { status: OrderStatus };

export function announceOrder(trx: Kysely<Schema>, env: Environment, order: AnnouncedOrder): Promise<void> {
  return scheduleReport(trx, env, 'orders', order, { status: order.status });
}
