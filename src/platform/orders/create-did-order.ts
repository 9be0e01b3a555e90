/**
 * Takes the numbers from stock and the money from the balance in one transaction. A process with a worker also activates
 * the numbers in it, if the order needs nothing else; otherwise a job does. The statement that takes (`place_did_order`,
 * migration 0500) takes its locks in one order: stock by group, then the account's row.
 */
import { type Kysely, sql } from 'kysely';
import { itemRow, type NewOrder, orderRow, totalOf } from '../../billing/insert-order.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { type Added, addAndRun } from '../../jobs/added-job.ts';
import { priorityOf } from '../../jobs/task.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow } from '../../jsonapi/resource.ts';
import { grossOf, parseAmount } from '../../money/decimal.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { requirePaid } from '../refusals.ts';
import { type FulfilOrderPayload, fulfilAddedOrder, fulfilOrderTask, fulfilPlacedOrder } from './fulfil-orders.ts';
import { knownOrder, rememberOrder } from './idempotency.ts';
import { newOrder } from './new-order.ts';
import { requirePromptOrders } from './order-backlog.ts';
import { orderFaultOf } from './order-faults.ts';
import type { OrderAttributes } from './order-items.ts';
import { type RequestedDid, readDidItems } from './read-did-items.ts';

export async function createDidOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  answer: AnswerNow,
): Promise<string> {
  const { env, now } = context;
  await requirePromptOrders(env, callerOf(context).accountId);
  const { requested, delaySeconds } = await readDidItems(context, attributes.items);
  const fault = await orderFaultOf(context, attributes, requested);
  const kind = { kind: 'did', description: 'DID', status: 'pending' } as const;
  const order = newOrder(context, attributes, kind);
  const payload = { order_id: order.id, ...(fault === 'canceled' ? { undeliverable: true } : {}) };
  // In the sandbox after the account's delay, so that a pending order can be tried.
  const due = env.name !== 'sandbox' || delaySeconds === 0 ? null : new Date(now.getTime() + delaySeconds * 1000);

  const add = (takenBy: string | null): Promise<Added<string, FulfilOrderPayload>> =>
    inTransaction(env.db, async (trx) => {
      const known = await knownOrder(trx, context, attributes);
      if (known !== null) return { result: known, job: null };
      // One commit instead of two, where the job would run in this process anyway.
      const isCompletedHere = takenBy !== null && order.callback_url === null;
      const job = fault === 'pending' || isCompletedHere ? null : { payload, due, takenBy };
      const jobId = await placeOrder(trx, order, requested, attributes.allow_back_ordering ?? true, job);
      await rememberOrder(trx, context, attributes, order.id);
      // Read before it is completed, by whomever: the response shows it as pending.
      await answer(order.id, runIn(trx));
      if (isCompletedHere) await fulfilPlacedOrder(trx, env, order.id);
      if (jobId === null || takenBy === null) return { result: order.id, job: null };
      const run = () => fulfilAddedOrder(env, order.id, { id: jobId, takenBy });
      return { result: order.id, job: { id: jobId, payload, dueAt: now, run } };
    });
  if (fault !== null || due !== null) return (await add(null)).result;
  return addAndRun(env, fulfilOrderTask, add);
}

interface PlacedOrder {
  refusal: 'reference' | 'balance' | 'number' | 'stock' | null;
  item: number | null;
  spendable: string | null;
  job_id: string | null;
}

interface OrderJob {
  payload: FulfilOrderPayload;
  due: Date | null;
  takenBy: string | null;
}

/** Stores the order with its numbers, job and money, and returns the job's id; throws if it is refused. */
async function placeOrder(
  trx: Kysely<Schema>,
  order: NewOrder,
  requested: readonly RequestedDid[],
  allowBackOrdering: boolean,
  job: OrderJob | null,
): Promise<string | null> {
  const total = totalOf(requested);
  const items = JSON.stringify(requested.map(placedItem));
  for (;;) {
    const row = JSON.stringify(orderRow(order, total));
    const { rows } = await sql<PlacedOrder>`
      select refusal, item, spendable::text, job_id::text
      from place_did_order(
        json_populate_record(null::orders, ${row}::json), ${items}::json, ${allowBackOrdering}::boolean,
        ${job === null ? null : JSON.stringify(job.payload)}::json, ${job?.due ?? null}::timestamptz,
        ${priorityOf(fulfilOrderTask)}::int, ${job?.takenBy ?? null}::text)
    `.execute(trx);
    const [placed] = rows;
    if (placed === undefined) throw new Error('an order was neither placed nor refused');
    if (placed.refusal === 'reference') continue;
    if (placed.refusal === 'balance') {
      requirePaid({ ok: false, available: parseAmount(placed.spendable ?? '0'), cost: grossOf(total) });
    }
    const refused = requested.find(({ position }) => position === placed.item);
    if (refused !== undefined && placed.refusal === 'number') {
      refuse(invalid.item('items', refused.position, await wrongMember(trx, refused), messages.invalid));
    }
    if (refused !== undefined && placed.refusal === 'stock') {
      refuse(invalid.item('items', refused.position, 'qty', 'exceeds available DIDs count'));
    }
    return placed.job_id;
  }
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

/** The row of the item, and how its numbers are taken. */
function placedItem(item: RequestedDid): object {
  const { qty, setup, monthly } = item;
  const row = itemRow(
    {
      ...{ type: 'did_order_items', qty, setup, monthly, billed_from: null, billed_to: null },
      did_group_id: item.groupId,
      sku_id: item.skuId,
      nanpa_prefix_id: item.nanpaPrefixId,
      billing_cycles_count: item.billingCyclesCount,
    },
    item.position,
  );
  return {
    ...row,
    available_did_id: item.availableDidId,
    did_reservation_id: item.reservationId,
    back_orderable: item.backOrderable,
    channels_included_count: item.channelsIncludedCount,
  };
}
