import { type Kysely, sql } from 'kysely';
import { giveBack } from '../../billing/give-back.ts';
import type { Schema } from '../../db/schema.ts';
import type { OwnedDid } from './owned-did.ts';
import { unusedTime } from './unused-time.ts';

/** Gives back what a number is still worth that leaves its account before its time. */
export async function refundNumber(trx: Kysely<Schema>, did: OwnedDid, now: Date): Promise<void> {
  const { price, paidBy } = await unusedTime(trx, did, now);
  if (did.order_pending) await declineNumber(trx, did);
  const own = { orderId: did.order_id, position: did.order_position, isPending: did.order_pending };
  const movement = { cause: 'refund', reference: did.id, accountId: did.account_id, at: now } as const;
  await giveBack(trx, paidBy ?? own, movement, price);
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
