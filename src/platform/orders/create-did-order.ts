/**
 * Takes the numbers from stock and the money from the balance in one transaction; a job activates the numbers. Locks
 * are taken in one order: stock by group, then the account's row.
 */
import { type Kysely, sql } from 'kysely';
import { type NewOrderItem, totalOf } from '../../billing/insert-order.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow } from '../../jsonapi/resource.ts';
import { grossOf } from '../../money/decimal.ts';
import { couldPay, hold } from '../../money/ledger.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { requirePaid } from '../refusals.ts';
import { fulfilOrderTask } from './fulfil-orders.ts';
import { knownOrder } from './idempotency.ts';
import { requirePromptOrders } from './order-backlog.ts';
import { orderFaultOf } from './order-faults.ts';
import type { OrderAttributes } from './order-items.ts';
import { type RequestedDid, readDidItems } from './read-did-items.ts';
import { storeOrder } from './store-order.ts';
import { setAside, type TakenNumber, takeAvailable, takeFromStock, takeReserved } from './take-numbers.ts';

export async function createDidOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  answer: AnswerNow,
): Promise<string> {
  const { env, now } = context;
  const { accountId } = callerOf(context);
  await requirePromptOrders(env, accountId);
  const requested = await readDidItems(context, attributes.items);
  const fault = await orderFaultOf(context, attributes, requested);
  return inTransaction(env.db, async (trx) => {
    const known = await knownOrder(trx, context, attributes);
    if (known !== null) return known;
    // Checked before any number is locked: a customer without money must not block stock, not even for a moment.
    const amount = grossOf(totalOf(requested));
    requirePaid(await couldPay(trx, accountId, amount));
    const taken = await takeNumbers(trx, context, requested, attributes.allow_back_ordering ?? true);
    const items = requested.map((item) => itemOf(item, item.qty - (taken.get(item.position)?.length ?? 0)));
    const kind = { kind: 'did', description: 'DID', status: 'pending' } as const;
    const { id } = await storeOrder(trx, context, attributes, kind, items);
    for (const item of requested) {
      await setAside(trx, { orderId: id, accountId, now, ...item }, taken.get(item.position) ?? []);
    }
    if (fault !== 'pending') {
      const job = { order_id: id, ...(fault === 'canceled' ? { undeliverable: true } : {}) };
      await env.jobs.add(trx, fulfilOrderTask, job, await completionOf(trx, context));
    }
    // Read inside the transaction: the response shows it as pending, even if another process completes it at once.
    await answer(id, runIn(trx));
    const movement = { accountId, at: now, cause: 'order', reference: id, orderId: id } as const;
    requirePaid(await hold(trx, movement, amount));
    return id;
  });
}

/**
 * When the order is completed: at once, or in the sandbox after the account's delay, so that a pending order can be
 * tried.
 */
async function completionOf(trx: Kysely<Schema>, context: PlatformContext): Promise<{ at?: Date }> {
  const { env, now } = context;
  if (env.name !== 'sandbox') return {};
  // Read from the database, because the cached caller may not have a setting that was just changed.
  const { rows } = await sql<{ seconds: number | null }>`
    select (limits->>'sandbox_order_seconds')::int as seconds from accounts where id = ${callerOf(context).accountId}
  `.execute(trx);
  const seconds = rows[0]?.seconds ?? 0;
  return seconds === 0 ? {} : { at: new Date(now.getTime() + seconds * 1000) };
}

async function takeNumbers(
  trx: Kysely<Schema>,
  context: PlatformContext,
  requested: readonly RequestedDid[],
  allowBackOrdering: boolean,
): Promise<Map<number, TakenNumber[]>> {
  const taken = new Map<number, TakenNumber[]>();
  // Chosen numbers first; otherwise an item for any number of the group could take them.
  const byLockOrder = requested.toSorted(
    (a, b) => Number(isAny(a)) - Number(isAny(b)) || (a.groupId < b.groupId ? -1 : 1),
  );
  for (const item of byLockOrder) {
    const numbers = await takeFor(trx, context, item);
    const missing = item.qty - numbers.length;
    if (missing > 0) {
      if (!isAny(item)) refuse(invalid.item('items', item.position, await wrongMember(trx, item), messages.invalid));
      if (!allowBackOrdering || !item.backOrderable) {
        refuse(invalid.item('items', item.position, 'qty', 'exceeds available DIDs count'));
      }
    }
    taken.set(item.position, numbers);
  }
  return taken;
}

/** If the number exists but the offer belongs to another group, the offer is the invalid member. */
async function wrongMember(trx: Kysely<Schema>, item: RequestedDid): Promise<string> {
  const { rows } = await sql`
    select 1 from available_dids a left join did_reservations r on r.available_did_id = a.id
    where (a.id = ${item.availableDidId}::uuid or r.id = ${item.reservationId}::uuid) and a.did_group_id <> ${item.groupId}
  `.execute(trx);
  if (rows.length > 0) return 'sku_id';
  return item.availableDidId ? 'available_did_id' : 'did_reservation_id';
}

const isAny = (item: RequestedDid) => item.availableDidId === null && item.reservationId === null;

function takeFor(trx: Kysely<Schema>, context: PlatformContext, item: RequestedDid): Promise<TakenNumber[]> {
  const wanted = { ...item, now: context.now, accountId: callerOf(context).accountId };
  if (item.availableDidId) return takeAvailable(trx, item.availableDidId, wanted);
  if (item.reservationId) return takeReserved(trx, item.reservationId, wanted);
  return takeFromStock(trx, wanted);
}

const itemOf = (item: RequestedDid, missing: number): NewOrderItem => ({
  type: 'did_order_items',
  qty: item.qty,
  setup: item.setup,
  monthly: item.monthly,
  billed_from: null,
  billed_to: null,
  did_group_id: item.groupId,
  sku_id: item.skuId,
  nanpa_prefix_id: item.nanpaPrefixId,
  billing_cycles_count: item.billingCyclesCount,
  missing,
});
