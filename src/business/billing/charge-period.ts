/** Charges one period of a monthly service (a number, a pool, emergency calling), and refunds a part of an order. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { free, grossOf, type Taxed, toSql } from '../money/decimal.ts';
import { type ChargeResult, charge, type Movement, refund, settleHold } from '../money/ledger.ts';
import {
  insertOrder,
  type NewOrder,
  type NewOrderItem,
  noCallback,
  type OrderCallback,
  totalOf,
} from './insert-order.ts';

interface Period extends Pick<Movement, 'accountId' | 'at' | 'cause' | 'reference'> {
  /** The start of the period, which prevents charging it twice. */
  occasion: string;
  order: Pick<NewOrder, 'kind' | 'description'> & { id?: string; callback?: OrderCallback };
  item: NewOrderItem;
}

/**
 * Charges a period and writes the order that shows it; writes nothing if the customer cannot pay. Locks the account's
 * row, so it must come after all other locks of the transaction.
 */
export async function chargePeriod(
  trx: Kysely<Schema>,
  { order, item, ...movement }: Period,
): Promise<ChargeResult & { orderId: string }> {
  const { id: orderId = randomUUID(), kind, description, callback = noCallback } = order;
  const paid = await charge(trx, { ...movement, orderId }, totalOf([item]));
  if (paid.ok) {
    const { accountId: account_id, at: created_at } = movement;
    const shown = { id: orderId, account_id, kind, description, status: 'completed', created_at, ...callback } as const;
    await insertOrder(trx, shown, [item]);
  }
  return { ...paid, orderId };
}

export interface OrderPart {
  orderId: string;
  position: number;
  isPending: boolean;
}

export async function giveBack(
  trx: Kysely<Schema>,
  { orderId, position, isPending }: OrderPart,
  movement: Movement,
  price: Taxed,
): Promise<void> {
  await noteRefund(trx, orderId, [{ position, price }]);
  const moved = { ...movement, orderId };
  if (isPending) await settleHold(trx, moved, { earned: free(price.vatRate), released: grossOf(price) });
  else await refund(trx, moved, price);
}

/** Records the refund per item and for the order; the calling code moves the money. */
export async function noteRefund(
  trx: Kysely<Schema>,
  orderId: string,
  parts: readonly { position: number; price: Taxed }[],
): Promise<void> {
  await sql`
    with parts as (
      select * from unnest(${parts.map(({ position }) => position)}::int[],
                           ${parts.map(({ price }) => toSql(grossOf(price)))}::numeric[],
                           ${parts.map(({ price }) => toSql(price.vat))}::numeric[]) as p (position, gross, vat)
    ), items as (
      update order_items i set refunded = i.refunded + p.gross, refunded_vat = i.refunded_vat + p.vat
      from parts p where i.order_id = ${orderId} and i.position = p.position
    )
    update orders set refunded = refunded + (select sum(gross) from parts) where id = ${orderId}
  `.execute(trx);
}

/** An operator may suspend an account in such a way that nothing of it is renewed meanwhile. */
export async function areRenewalsHeld(trx: Kysely<Schema>, accountId: string): Promise<boolean> {
  const row = await trx.selectFrom('accounts').select('renewals_held').where('id', '=', accountId).executeTakeFirst();
  return row?.renewals_held === true;
}
