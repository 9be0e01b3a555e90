/** One period of something that is paid by the month: a number, the channels of a pool, an emergency service. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { type ChargeResult, charge, type Movement } from '../money/ledger.ts';
import {
  insertOrder,
  type NewOrder,
  type NewOrderItem,
  noCallback,
  type OrderCallback,
  totalOf,
} from './insert-order.ts';

export interface Period extends Pick<Movement, 'accountId' | 'at' | 'cause' | 'reference'> {
  /** The moment or day the period begins: the same period is never charged twice. */
  occasion: string;
  order: Pick<NewOrder, 'kind' | 'description'> & { id?: string; callback?: OrderCallback };
  item: NewOrderItem;
}

/**
 * Charges a period and writes the order that shows it. Nothing is written when the customer cannot pay. The account's row is
 * locked by this and stays locked: whatever else the transaction locks comes before.
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
