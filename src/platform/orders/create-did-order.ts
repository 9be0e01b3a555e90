import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { insertOrder, type NewOrderItem, totalOf } from '../../billing/insert-order.ts';
import { sealSigningKey } from '../../callbacks/signing-key.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow } from '../../jsonapi/resource.ts';
import { couldPay, hold } from '../../money/ledger.ts';
import { grossOf } from '../../money/taxed.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { requirePaid } from '../require-paid.ts';
import { knownOrder, rememberOrder } from './idempotency.ts';
import type { OrderAttributes } from './order-attributes.ts';
import { type DidWish, readDidItems } from './read-did-items.ts';
import { setAside } from './set-aside.ts';
import { type TakenNumber, takeAvailable, takeFromStock, takeReserved } from './take-numbers.ts';
import { fulfilOrderTask } from './tasks.ts';

/**
 * Takes the numbers out of the stock and the money from the balance in one transaction; a job hands the numbers over.
 * Locks are taken in one order: stock by group, then the account's row.
 */
export async function createDidOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  answer: AnswerNow,
): Promise<string> {
  const wishes = await readDidItems(context, attributes.items);
  const { env, now } = context;
  const { accountId, signingKey } = callerOf(context);
  const { callback_url = null, callback_method = null, external_reference_id = null } = attributes;
  return inTransaction(env.db, async (trx) => {
    const known = await knownOrder(trx, context, attributes);
    if (known !== null) return known;
    // Asked before any number is touched: a customer without money must not keep the stock from others, not even for a moment.
    const amount = grossOf(totalOf(wishes));
    requirePaid(await couldPay(trx, accountId, amount));
    const taken = await takeNumbers(trx, context, wishes, attributes.allow_back_ordering ?? true);
    const items = wishes.map((wish) => itemOf(wish, wish.qty - (taken.get(wish.position)?.length ?? 0)));
    const id = randomUUID();
    const order = { id, account_id: accountId, kind: 'did', description: 'DID', status: 'pending' } as const;
    const callback = {
      callback_url,
      callback_method,
      sealed_signing_key: callback_url === null ? null : sealSigningKey(env, signingKey),
    };
    await insertOrder(trx, { ...order, ...callback, external_reference_id, created_at: now }, items);
    for (const wish of wishes) {
      await setAside(trx, { orderId: id, accountId, now, ...wish }, taken.get(wish.position) ?? []);
    }
    await rememberOrder(trx, context, attributes, id);
    await env.jobs.add(trx, fulfilOrderTask, { order_id: id }, await completionOf(trx, context));
    // It is pending in the answer, however soon another process completes it.
    await answer(id, runIn(trx));
    const movement = { accountId, at: now, cause: 'order', reference: id, orderId: id } as const;
    requirePaid(await hold(trx, movement, amount));
    return id;
  });
}

/** At once; in the sandbox after the delay that the account has set, so that a pending order can be seen and cancelled. */
async function completionOf(trx: Kysely<Schema>, context: PlatformContext): Promise<{ at?: Date }> {
  const { env, now } = context;
  if (env.name !== 'sandbox') return {};
  // Read here and not from the caller, who may not have heard yet of a setting that was just changed.
  const { rows } = await sql<{ seconds: number | null }>`
    select (limits->>'sandbox_order_seconds')::int as seconds from accounts where id = ${callerOf(context).accountId}
  `.execute(trx);
  const seconds = rows[0]?.seconds ?? 0;
  return seconds === 0 ? {} : { at: new Date(now.getTime() + seconds * 1000) };
}

async function takeNumbers(
  trx: Kysely<Schema>,
  context: PlatformContext,
  wishes: readonly DidWish[],
  allowBackOrdering: boolean,
): Promise<Map<number, TakenNumber[]>> {
  const taken = new Map<number, TakenNumber[]>();
  // Particular numbers first, or an item for any number of the group could take them away from the same order.
  const byLockOrder = wishes.toSorted(
    (a, b) => Number(isAny(a)) - Number(isAny(b)) || (a.groupId < b.groupId ? -1 : 1),
  );
  for (const wish of byLockOrder) {
    const numbers = await takeFor(trx, context, wish);
    const missing = wish.qty - numbers.length;
    if (missing > 0) {
      if (!isAny(wish)) refuse(invalid.item('items', wish.position, await wrongMember(trx, wish), messages.invalid));
      if (!allowBackOrdering || !wish.backOrderable) {
        refuse(invalid.item('items', wish.position, 'qty', 'exceeds available DIDs count'));
      }
    }
    taken.set(wish.position, numbers);
  }
  return taken;
}

/** The number may be there, and only the offer be of another group. */
async function wrongMember(trx: Kysely<Schema>, wish: DidWish): Promise<string> {
  const { rows } = await sql`
    select 1 from available_dids a left join did_reservations r on r.available_did_id = a.id
    where (a.id = ${wish.availableDidId}::uuid or r.id = ${wish.reservationId}::uuid) and a.did_group_id <> ${wish.groupId}
  `.execute(trx);
  if (rows.length > 0) return 'sku_id';
  return wish.availableDidId ? 'available_did_id' : 'did_reservation_id';
}

const isAny = (wish: DidWish) => wish.availableDidId === null && wish.reservationId === null;

function takeFor(trx: Kysely<Schema>, context: PlatformContext, wish: DidWish): Promise<TakenNumber[]> {
  const wanted = { ...wish, now: context.now, accountId: callerOf(context).accountId };
  if (wish.availableDidId) return takeAvailable(trx, wish.availableDidId, wanted);
  if (wish.reservationId) return takeReserved(trx, wish.reservationId, wanted);
  return takeFromStock(trx, wanted);
}

const itemOf = (wish: DidWish, missing: number): NewOrderItem => ({
  type: 'did_order_items',
  qty: wish.qty,
  setup: wish.setup,
  monthly: wish.monthly,
  billed_from: null,
  billed_to: null,
  did_group_id: wish.groupId,
  sku_id: wish.skuId,
  nanpa_prefix_id: wish.nanpaPrefixId,
  billing_cycles_count: wish.billingCyclesCount,
  missing,
});
