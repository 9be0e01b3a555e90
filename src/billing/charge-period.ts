/** Charges one period of a monthly service: a number, the channels of a pool, an emergency service. */
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
