/** Refunds a part of an order: from its hold while it is pending, from revenue afterwards. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { toSql } from '../money/decimal.ts';
import { type Movement, refund, settleHold } from '../money/ledger.ts';
import { free, grossOf, type Taxed } from '../money/taxed.ts';

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
