import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { formatTrimmed, parseAmount, toSql } from '../../money/decimal.ts';
import { refund, releaseHold } from '../../money/ledger.ts';
import type { OwnedDid } from './owned-did.ts';

/** Gives a number's price back: what is kept aside for it while its order is pending, what was earned with it after that. */
export async function refundNumber(trx: Kysely<Schema>, did: OwnedDid, now: Date): Promise<void> {
  const price = parseAmount(did.paid_nrc) + parseAmount(did.paid_mrc);
  const cause = { cause: 'refund', reference: did.id } as const;
  const movement = { ...cause, accountId: did.account_id, amount: formatTrimmed(price), at: now };
  if (!did.order_pending) return refund(trx, movement);
  await declineNumber(trx, did);
  await trx
    .updateTable('orders')
    .set({ refunded: sql<string>`refunded + ${toSql(price)}::numeric` })
    .where('id', '=', did.order_id)
    .execute();
  await releaseHold(trx, { ...movement, orderId: did.order_id });
}

/** The order goes on without it, and what still waits for stock does not get it again. */
async function declineNumber(trx: Kysely<Schema>, did: OwnedDid): Promise<void> {
  await trx
    .updateTable('order_items')
    .set({ declined: sql<string[]>`array_append(declined, ${did.number}::text)` })
    .where('order_id', '=', did.order_id)
    .where('position', '=', did.order_position)
    .execute();
}
