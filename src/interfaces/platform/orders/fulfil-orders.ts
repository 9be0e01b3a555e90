/** Activates the numbers of a pending order, and completes it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Kysely, sql } from 'kysely';
import { oneMonthOf } from '../../../business/billing/billed-dates.ts';
import { endOfPeriods } from '../../../business/billing/calendar.ts';
import { announceOrder } from '../../../business/billing/insert-order.ts';
import { groupedByAccount } from '../../../engines/db/grouped.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { runPrepared, type Statement, statement } from '../../../engines/db/statement.ts';
import { inTransaction, runAgain } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask, jobActor } from '../../../engines/jobs/task.ts';
import { attemptEach, throwIfUnsettled } from '../attempt-each.ts';
import { methodOf } from '../dids/did-history.ts';
import { defaultRegistrationDays } from '../dids/due-dates.ts';
import { activateNumbers } from '../dids/move-numbers.ts';
import { cancelPendingOrder } from './cancel-order.ts';
import { awaitsSuppliers, orderMissing } from './order-missing.ts';
import { setAside, takeFromStock } from './take-numbers.ts';

/** `undeliverable`: a test in the sandbox has asked for an order that nobody can deliver. */
export type FulfilOrderPayload = { order_id: string; undeliverable?: boolean };

export const fulfilOrderTask = defineTask<FulfilOrderPayload>('orders.fulfil', {
  priority: 'orders',
  runsWhereAdded: true,
});
/**
 * Checks waiting orders after stock has arrived or a reservation has expired. Also added by SQL
 * (`available_dids_arrived`).
 */
export const fulfilWaitingTask = defineTask('orders.fulfil_waiting', { priority: 'orders' });

/** What is done here is done by the job. */
const method = methodOf(jobActor(fulfilOrderTask));

/** What has to be known of an order to give it its turn. */
interface OrderInTurn {
  id: string;
  accountId: string;
  /** How many it is about. */
  numbers: number;
}

/** Activates the numbers of a pending order: those reserved for it, and those that came into stock since. */
export const runFulfilOrder = handle(
  fulfilOrderTask,
  ({ order_id, undeliverable = false }, { env }: TaskContext<Environment>) =>
    undeliverable ? cancelUndeliverable(env, order_id) : fulfilOrder(env, order_id),
);

export async function fulfilOrder(env: Environment, id: string): Promise<void> {
  const order = await env.db
    .selectFrom('orders as o')
    .innerJoin('order_items as i', 'i.order_id', 'o.id')
    .select(['o.id', 'o.account_id as accountId', sql<number>`sum(i.qty)::int`.as('numbers')])
    .where('o.id', '=', id)
    .where('o.status', '=', 'pending')
    .groupBy('o.id')
    .executeTakeFirst();
  if (order !== undefined) await fulfilInTurn(env, order);
}

function cancelUndeliverable(env: Environment, id: string): Promise<void> {
  return inTransaction(env.db, async (trx) => {
    const order = await trx.selectFrom('orders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
    if (order?.status === 'pending') {
      await cancelPendingOrder(trx, env, order, { method, now: env.clock.now() });
    }
  });
}

/** Fulfils waiting orders after stock has arrived, oldest first; one that fails does not stop the others. */
export const fulfilWaitingOrders = handle(fulfilWaitingTask, async (_payload, context: TaskContext<Environment>) => {
  const { env, stopping } = context;
  const waiting = await env.db
    .selectFrom('orders as o')
    .select('o.id')
    .where('o.status', '=', 'pending')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('order_items as i')
          .innerJoin('stock_blocks as b', 'b.did_group_id', 'i.did_group_id')
          .select('i.order_id')
          .whereRef('i.order_id', '=', 'o.id')
          .where('i.missing', '>', 0)
          .where((inner) =>
            inner.or([
              inner('i.nanpa_prefix_id', 'is', null),
              inner('b.nanpa_prefix_id', '=', inner.ref('i.nanpa_prefix_id')),
            ]),
          ),
      ),
    )
    .orderBy('o.seq')
    .execute();
  const ids = waiting.map(({ id }) => id);
  throwIfUnsettled(await attemptEach(ids, { log: env.log, stopping }, (id) => fulfilOrder(env, id)), 'waiting orders');
});

/**
 * Takes what was missing and has arrived since; completes the order if nothing is missing any more. Each account's
 * orders wait for their own account only: for its rows, and behind what it has ordered before.
 */
export async function fulfilInTurn(env: Environment, order: OrderInTurn): Promise<void> {
  const inOwnTrace = AsyncLocalStorage.snapshot();
  if (order.numbers <= largestUsual && (await completedTogether(env, order))) return;
  await inTurn(env, { order, fulfil: () => inOwnTrace(() => fulfilAlone(env, order.id)) });
}

/** One of more numbers keeps a connection for so long that it has a turn of its own. */
const largestUsual = 100;

/** Statements at a time, of all accounts: each holds a connection, which requests need too. */
const turns = {
  together: { lane: 'completion of orders', most: 4 },
  alone: { lane: 'orders that need more', most: 3 },
  large: { lane: 'large orders', most: 1 },
} as const;

async function withTurn<T>({ jobs }: Environment, turn: keyof typeof turns, work: () => Promise<T>): Promise<T> {
  const { lane, most } = turns[turn];
  const leave = await jobs.lanes.enter(lane, most, Number.POSITIVE_INFINITY);
  try {
    return await work();
  } finally {
    leave?.();
  }
}

/**
 * Completes orders that need nothing else. One statement at a time for an account: that it runs is most of what it
 * costs, so the orders that come meanwhile share the next one.
 */
const completedTogether = groupedByAccount(
  null,
  ({ accountId }: OrderInTurn) => accountId,
  (env: Environment, orders) =>
    withTurn(env, 'together', async (): Promise<boolean[]> => {
      const ids = orders.map(({ id }) => id);
      const plain = statement`array(select id from orders where id = any(${ids}::uuid[]) and callback_url is null)`;
      const completing = completion(plain, env.clock.now());
      const [done] = await runAgain(() => runPrepared(env.pool, 'orders_complete', completing));
      return ids.map((id) => done?.completed.includes(id) ?? false);
    }),
  1,
);

/** Orders that need more: of an account one at a time, and one large one. */
const inTurn = groupedByAccount(
  null,
  ({ order }: { order: OrderInTurn; fulfil(): Promise<void> }) => `${order.accountId} ${turnOf(order)}`,
  async (env: Environment, waiting) => {
    for (const { order, fulfil } of waiting) await withTurn(env, turnOf(order), fulfil);
    return waiting.map(() => undefined);
  },
  1,
);

const turnOf = ({ numbers }: OrderInTurn) => (numbers > largestUsual ? 'large' : 'alone');

/** Of `orders`, an SQL array of ids. */
function completion(orders: Statement, now: Date): Statement<{ completed: string[] }> {
  const { from, to } = oneMonthOf(now);
  return statement<{ completed: string[] }>`
    select complete_orders(${orders}, ${now}::timestamptz, ${endOfPeriods(now, 1)}::timestamptz,
      ${defaultRegistrationDays}::int, ${from}::date, ${to}::date) as completed`;
}

function fulfilAlone(env: Environment, orderId: string): Promise<void> {
  return inTransaction(env.db, async (trx) => {
    const order = await trx
      .selectFrom('orders as o')
      .selectAll()
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('order_items as i')
            .select('i.order_id')
            .whereRef('i.order_id', '=', 'o.id')
            .where('missing', '>', 0),
        ).as('lacks_numbers'),
      )
      .where('id', '=', orderId)
      .forUpdate()
      .executeTakeFirst();
    if (order?.status !== 'pending') return;
    const now = env.clock.now();
    const missing = order.lacks_numbers ? await takeMissing(trx, orderId, order.account_id, now) : 0;
    if (missing > 0) {
      const reason = await orderMissing(trx, env, orderId);
      if (reason !== null) {
        return cancelPendingOrder(trx, env, order, { method, now, because: reason });
      }
      await activateNumbers(trx, orderId, now);
      return awaitHolds(trx, env, orderId, now);
    }
    // The purchase that is obtained last adds another job.
    if (await awaitsSuppliers(trx, orderId)) return;
    await announceOrder(trx, env, { ...order, status: 'completed' });
    await completion(statement`array[${orderId}::uuid]`, now).toKysely().execute(trx);
  });
}

/** So many of an item `i` are ordered at suppliers, who choose them. */
const comingFromSuppliers = sql<number>`(select coalesce(sum(p.qty), 0)::int from open_purchases p
  where p.order_id = i.order_id and p.order_position = i.position and p.number is null)`;

/** Returns how many numbers are still missing. */
async function takeMissing(trx: Kysely<Schema>, orderId: string, accountId: string, now: Date): Promise<number> {
  const waiting = await trx
    .selectFrom('order_items as i')
    .innerJoin('stock_keeping_units as s', 's.id', 'i.sku_id')
    .select(['i.position', 'i.missing', 'i.declined', 'i.nanpa_prefix_id', 'i.billing_cycles_count'])
    .select(comingFromSuppliers.as('coming'))
    .select(['s.id as sku_id', 's.did_group_id', 's.channels_included_count'])
    .where('i.order_id', '=', orderId)
    .where('i.missing', '>', 0)
    .orderBy('s.did_group_id')
    .execute();
  let stillMissing = 0;
  for (const item of waiting) {
    const { did_group_id: groupId, nanpa_prefix_id: nanpaPrefixId, declined } = item;
    const qty = item.missing - item.coming;
    const numbers = await takeFromStock(trx, { groupId, nanpaPrefixId, qty, declined, now });
    const place = {
      orderId,
      accountId,
      now,
      position: item.position,
      groupId,
      skuId: item.sku_id,
      channelsIncludedCount: item.channels_included_count,
      billingCyclesCount: item.billing_cycles_count,
    };
    await setAside(trx, place, numbers);
    const missing = item.missing - numbers.length;
    stillMissing += missing;
    if (numbers.length === 0) continue;
    await trx
      .updateTable('order_items')
      .set({ missing })
      .where('order_id', '=', orderId)
      .where('position', '=', item.position)
      .execute();
  }
  return stillMissing;
}

/** Schedules a check for when reservations expire: no stock event announces those numbers. */
async function awaitHolds(trx: Kysely<Schema>, env: Environment, orderId: string, now: Date): Promise<void> {
  const held = await trx
    .selectFrom('did_reservations as r')
    .innerJoin('order_items as i', 'i.did_group_id', 'r.did_group_id')
    .select((eb) => eb.fn.min('r.expires_at').as('until'))
    .where('i.order_id', '=', orderId)
    .where('i.missing', '>', 0)
    .where('r.expires_at', '>', now)
    .executeTakeFirst();
  if (!held?.until) return;
  const key = `${fulfilWaitingTask.name}:${held.until.toISOString()}`;
  await env.jobs.add(trx, fulfilWaitingTask, {}, { at: held.until, key });
}
