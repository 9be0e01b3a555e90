/**
 * `Idempotency-Key` on POST /orders: for 24 hours the same key with the same body gets the first response again; with
 * another body it is refused. The key is stored in the transaction of its order.
 */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { handle } from '../../jobs/handler.ts';
import { planOnce } from '../../jobs/plan-once.ts';
import { defineTask } from '../../jobs/task.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import type { Document } from '../../jsonapi/linkage.ts';
import type { Repeated, WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import type { OrderAttributes } from './order-items.ts';

const hourMs = 3_600_000;
const keptMs = 24 * hourMs;
const longest = 255;

const forgetKeysTask = defineTask('orders.forget_keys', { priority: 'background' });

export const idempotentOrders: Repeated<PlatformContext> = {
  async find(context: PlatformContext, input: WriteInput<OrderAttributes>) {
    const key = keyOf(context);
    if (key === null) return null;
    const known = await find(context.env.db, context, key, input.attributes);
    return (known?.answer as Document | null | undefined) ?? null;
  },
  async remember(context: PlatformContext, document: Document) {
    const key = keyOf(context);
    if (key === null) return;
    await context.env.db
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(document) })
      .where('account_id', '=', callerOf(context).accountId)
      .where('key', '=', key)
      .where('answer', 'is', null)
      .execute();
  },
};

/** Returns the order that this key has already created; requests with the same key wait for each other here. */
export async function knownOrder(
  trx: Kysely<Schema>,
  context: PlatformContext,
  attributes: OrderAttributes,
): Promise<string | null> {
  const key = keyOf(context);
  if (key === null) return null;
  const { accountId } = callerOf(context);
  await sql`select pg_advisory_xact_lock(hashtext('idempotency'), hashtext(${`${accountId} ${key}`}))`.execute(trx);
  return (await find(trx, context, key, attributes))?.order_id ?? null;
}

export async function rememberOrder(
  trx: Kysely<Schema>,
  context: PlatformContext,
  attributes: OrderAttributes,
  orderId: string,
): Promise<void> {
  const key = keyOf(context);
  if (key === null) return;
  const values = { fingerprint: fingerprint(attributes), order_id: orderId, answer: null, created_at: context.now };
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: callerOf(context).accountId, key, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(values))
    .execute();
}

/**
 * Schedules the removal of this hour's keys. Runs before the order's transaction, because inside it all orders with a
 * key would wait for each other.
 */
export async function scheduleKeyRemoval(context: PlatformContext): Promise<void> {
  if (keyOf(context) === null) return;
  const hour = new Date(Math.ceil((context.now.getTime() + keptMs) / hourMs) * hourMs);
  await planOnce(context.env, forgetKeysTask, hour, hour.toISOString());
}

export const forgetKeys = handle(forgetKeysTask, async (_payload, { env }) => {
  const before = new Date(env.clock.now().getTime() - keptMs);
  await env.db.deleteFrom('idempotency_keys').where('created_at', '<=', before).execute();
});

async function find(db: Kysely<Schema>, context: PlatformContext, key: string, attributes: OrderAttributes) {
  const known = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'order_id', 'answer'])
    .where('account_id', '=', callerOf(context).accountId)
    .where('key', '=', key)
    .where('created_at', '>', new Date(context.now.getTime() - keptMs))
    .executeTakeFirst();
  if (known && !known.fingerprint.equals(fingerprint(attributes))) {
    refuse(invalid.base('Idempotency-Key has already been used for another request'));
  }
  return known;
}

export const hasKey = (context: PlatformContext): boolean => keyOf(context) !== null;

function keyOf({ idempotencyKey = null }: PlatformContext): string | null {
  if (idempotencyKey !== null && idempotencyKey.length > longest) {
    refuse(invalid.base(`Idempotency-Key is too long (maximum is ${longest} characters)`));
  }
  return idempotencyKey;
}

/** Hashes the meaning of a body: the order of members does not matter. */
function fingerprint(attributes: OrderAttributes): Buffer {
  const canonical = JSON.stringify(attributes, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest();
}
