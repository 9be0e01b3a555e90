/**
 * Takes the numbers from stock and the money from the balance in one statement
 * (src/engines/db/functions/orders/place_did_order.sql), which takes its locks in one order: stock by group, then the
 * account's row. A job completes the order (fulfil-orders.ts): at once in this process if it has a worker, and then the
 * answer waits for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { itemRow, orderRow, totalOf } from '../../../business/billing/insert-order.ts';
import { grossOf, parseAmount, type Taxed, toSql } from '../../../business/money/decimal.ts';
import { withFreeReference } from '../../../business/reference.ts';
import { asChange } from '../../../engines/db/outcome.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { runPrepared, type Statement, statement } from '../../../engines/db/statement.ts';
import { runAgain } from '../../../engines/db/transaction.ts';
import { addAndRun } from '../../../engines/jobs/added-job.ts';
import type { Added } from '../../../engines/jobs/taker.ts';
import { priorityOf } from '../../../engines/jobs/task.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lookForOrder } from '../did-groups/look-at-suppliers.ts';
import { requirePaid } from '../refusals.ts';
import { type FulfilOrderPayload, fulfilInTurn, fulfilOrderTask } from './fulfil-orders.ts';
import { newOrder } from './new-order.ts';
import { requirePromptOrders } from './order-backlog.ts';
import { orderFaultOf } from './order-faults.ts';
import type { StoredItem } from './order-items.ts';
import type { OrderAttributes } from './orders.members.ts';
import { type RequestedDid, readDidItems } from './read-did-items.ts';
import { restockIfLow } from './restock-demo.ts';

export async function createDidOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  answer: AnswerNow,
): Promise<string> {
  const { db, env, now } = context;
  await requirePromptOrders(env, db, callerOf(context).accountId);
  const { requested, delaySeconds, left } = await readDidItems(context, attributes.items);
  const fault = await orderFaultOf(context, attributes, requested);
  await lookForOrder(
    env,
    db,
    requested.filter((item) => item.isSupplied && item.availableDidId === null && item.reservationId === null),
  );
  const kind = { kind: 'did', description: 'DID', status: 'pending' } as const;
  const order = newOrder(context, attributes, kind);
  const total = totalOf(requested);
  const payload = { order_id: order.id, ...(fault === 'canceled' ? { undeliverable: true } : {}) };
  // In the sandbox after the account's delay, so that a pending order can be tried.
  const due = env.name !== 'sandbox' || delaySeconds === 0 ? null : new Date(now.getTime() + delaySeconds * 1000);

  const add = async (
    takenBy: string | null,
  ): Promise<Added<{ completed: Promise<void> } | null, FulfilOrderPayload>> => {
    const job = fault === 'pending' ? null : { payload, due, takenBy };
    const allowBackOrdering = attributes.allow_back_ordering ?? true;
    const { row, jobId } = await withFreeReference(db, async () => {
      const row = orderRow(order, total);
      return { row, jobId: await place(context, placing(row, requested, allowBackOrdering, job)) };
    }).catch((error) => refuseOrder(db, error, requested, total));
    // As it was accepted, although it may be completed by now.
    await answer(order.id, { row: { ...row, items: requested.map(pendingItem) } });
    if (jobId === null || takenBy === null) return { result: null, job: null };
    const ended = Promise.withResolvers<void>();
    const numbers = requested.reduce((sum, { qty }) => sum + qty, 0);
    const inTurn = { id: order.id, accountId: order.account_id, numbers };
    const run = () => fulfilInTurn(env, inTurn).finally(ended.resolve);
    return { result: { completed: ended.promise }, job: { id: jobId, payload, dueAt: now, run } };
  };
  // Nobody may take a job before the transaction is committed that it is added in.
  const isQueued = fault !== null || due !== null || db.isTransaction;
  const begun = isQueued ? (await add(null)).result : await addAndRun(env, fulfilOrderTask, add);
  for (const each of left) await restockIfLow(db, env, each);
  // Not for one that is announced: its callback must not be sent before the answer.
  if (begun !== null && order.callback_url === null) await within(longestWaitMs, begun.completed);
  return order.id;
}

/** An order is accepted however long its numbers take. */
const longestWaitMs = 1_000;

async function within(ms: number, work: Promise<void>): Promise<void> {
  const given = new AbortController();
  await Promise.race([work, pause(ms, undefined, { signal: given.signal }).catch(() => undefined)]);
  given.abort();
}

/** Returns the id of the job that will complete the order. The statement needs no transaction of its own. */
async function place(
  { db, env }: PlatformContext,
  placing: Statement<{ job_id: string | null }>,
): Promise<string | null> {
  if (!db.isTransaction) {
    const [placed] = await asChange(() => runAgain(() => runPrepared(env.pool, 'orders_place', placing)));
    return placed?.job_id ?? null;
  }
  // Why an order is refused is looked up in the same transaction.
  await sql`savepoint before_placing`.execute(db);
  try {
    const { rows } = await placing.toKysely().execute(db);
    return rows[0]?.job_id ?? null;
  } catch (error) {
    if (isRefusal(error)) await sql`rollback to savepoint before_placing`.execute(db);
    throw error;
  }
}

const isRefusal = (error: unknown): error is DatabaseError => error instanceof DatabaseError && error.code === 'TL001';

/** Stores the order with its numbers, money and job, or fails with the reason why it is refused. */
function placing(
  row: ReturnType<typeof orderRow>,
  requested: readonly RequestedDid[],
  allowBackOrdering: boolean,
  job: { payload: FulfilOrderPayload; due: Date | null; takenBy: string | null } | null,
): Statement<{ job_id: string | null }> {
  const items = JSON.stringify(requested.map((item) => placedItem(item, allowBackOrdering)));
  return statement<{ job_id: string | null }>`
    select place_did_order(
      json_populate_record(null::orders, ${JSON.stringify(row)}::json), ${items}::json, ${allowBackOrdering}::boolean,
      ${job === null ? null : JSON.stringify(job.payload)}::json, ${job?.due ?? null}::timestamptz,
      ${priorityOf(fulfilOrderTask)}::int, ${job?.takenBy ?? null}::text
    )::text as job_id`;
}

/** Of the database's `refuse_order`. */
interface Refusal {
  refusal: 'balance' | 'number' | 'stock';
  item: number | null;
  spendable: string | null;
}

/** Throws the error of the interface for an order that the database has refused, and any other error as it is. */
async function refuseOrder(
  db: Kysely<Schema>,
  error: unknown,
  requested: readonly RequestedDid[],
  total: Taxed,
): Promise<never> {
  if (!isRefusal(error)) throw error;
  const { refusal, item, spendable }: Refusal = JSON.parse(error.detail ?? '');
  const refused = requested.find(({ position }) => position === item);
  if (refused !== undefined && refusal === 'number') {
    refuse(invalid.item('items', refused.position, await wrongMember(db, refused), messages.invalid));
  }
  if (refused !== undefined && refusal === 'stock') {
    refuse(invalid.item('items', refused.position, 'qty', 'exceeds available DIDs count'));
  }
  requirePaid({ ok: false, available: parseAmount(spendable ?? '0'), cost: grossOf(total) });
  throw error;
}

/** If the number exists but the offer belongs to another group, the offer is the invalid member. */
async function wrongMember(db: Kysely<Schema>, item: RequestedDid): Promise<string> {
  const { rows } = await sql`
    select 1 from available_dids a left join did_reservations r on r.available_did_id = a.id
    where (a.id = ${item.availableDidId}::uuid or r.id = ${item.reservationId}::uuid) and a.did_group_id <> ${item.groupId}
  `.execute(db);
  if (rows.length > 0) return 'sku_id';
  return item.availableDidId ? 'available_did_id' : 'did_reservation_id';
}

/** The row of the item, and how its numbers are taken. */
function placedItem(item: RequestedDid, allowBackOrdering: boolean): object {
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
    is_chosen: item.availableDidId !== null || item.reservationId !== null,
    may_wait: allowBackOrdering && item.backOrderable,
    channels_included_count: item.channelsIncludedCount,
  };
}

/** The item of a new order as it is stored while the order is pending. */
const pendingItem = ({ qty, setup, monthly, groupId }: RequestedDid): StoredItem => ({
  type: 'did_order_items',
  qty,
  nrc: toSql(grossOf(setup)),
  mrc: toSql(grossOf(monthly)),
  prorated_mrc: false,
  billed_from: null,
  billed_to: null,
  did_group_id: groupId,
  capacity_pool_id: null,
  emergency_calling_service_id: null,
});
