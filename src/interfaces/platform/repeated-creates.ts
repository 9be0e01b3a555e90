/**
 * `Idempotency-Key` on every POST under `/v3` that makes something: for 24 hours the same request with the same key of
 * the same account gets the first answer again, and another request with it is refused. The key is stored with its
 * answer in the transaction of what was made: there is never one without the other. A request that was refused does not
 * use its key up. Answers are sealed, since those about trunks hold passwords.
 */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { markRecordsOf } from '../../business/accounts/acting.ts';
import { seal, unseal } from '../../business/accounts/secret.ts';
import { withFreeReference } from '../../business/reference.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction, runIn } from '../../engines/db/transaction.ts';
import { handle } from '../../engines/jobs/handler.ts';
import { planOnce } from '../../engines/jobs/plan-once.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { invalid, refuse } from '../../engines/jsonapi/errors.ts';
import type { Document } from '../../engines/jsonapi/linkage.ts';
import { longestIdempotencyKey } from '../../engines/jsonapi/openapi/parameters.ts';
import type { CreateOnce } from '../../engines/jsonapi/resource.ts';
import { callerOf, type PlatformContext } from './context.ts';

const hourMs = 3_600_000;
const keptMs = 24 * hourMs;

export const keptAnswerPurpose = 'answer to a create';

const forgetKeysTask = defineTask('orders.forget_keys', { priority: 'background' });

/** What a key is kept with: another request with it is recognised by these. */
interface KeyedRequest {
  readonly type: string;
  readonly fingerprint: Buffer;
}

/** For the engine: creates of a request that carries this key are done once. */
export const createOnce =
  (context: PlatformContext, key: string, source: string): CreateOnce =>
  async ({ type, input: { attributes, relationships }, query }, create) => {
    // The query says what the answer shows, and the caller may see what it names: another caller's answer may show
    // more.
    const shown = { ...(context.hidesSecrets ? { hidesSecrets: true } : {}), ...(query.length > 0 ? { query } : {}) };
    const request = { type, fingerprint: fingerprintOf({ attributes, relationships, ...shown }) };
    return doOnce(context, key, request, (trx) => create(inside(context, trx, source)));
  };

/**
 * Returns what `work` makes in its transaction, or what it made the first time. `work` may run again if the database
 * asks for it.
 */
export async function doOnce<T extends object = Document>(
  context: PlatformContext,
  key: string,
  request: KeyedRequest,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (key.length > longestIdempotencyKey) {
    refuse(invalid.base(`Idempotency-Key is too long (maximum is ${longestIdempotencyKey} characters)`));
  }
  const { env } = context;
  const { accountId } = callerOf(context);
  const known = await find<T>(env.db, context, key, request);
  if (known !== null) return known;
  await scheduleRemoval(context);
  return withFreeReference(env.db, () =>
    inTransaction(env.db, async (trx) => {
      // Requests with the same key wait for each other here.
      await sql`select pg_advisory_xact_lock(hashtext('idempotency'), hashtext(${`${accountId} ${key}`}))`.execute(trx);
      const first = await find<T>(trx, context, key, request);
      if (first !== null) return first;
      const made = await work(trx);
      await remember(trx, context, key, request, made);
      return made;
    }),
  );
}

/** Hashes the meaning of a request: the order of members does not matter. */
export function fingerprintOf(meaning: object): Buffer {
  const canonical = JSON.stringify(meaning, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest();
}

export const forgetKeys = handle(forgetKeysTask, async (_payload, { env }) => {
  const before = new Date(env.clock.now().getTime() - keptMs);
  await env.db.deleteFrom('idempotency_keys').where('created_at', '<=', before).execute();
});

/**
 * The context with every statement in one transaction. Nothing else is used meanwhile: a second connection may never
 * become free.
 */
function inside(context: PlatformContext, trx: Kysely<Schema>, source: string): PlatformContext {
  const { once: _once, text: _text, referenceRows: _kept, ...rest } = context;
  const query = runIn(trx);
  return {
    ...rest,
    db: trx,
    query,
    transaction: (work) => work(query),
    ...markRecordsOf(trx, context.env.clock, context.caller, source),
  };
}

async function find<T extends object>(
  db: Kysely<Schema>,
  context: PlatformContext,
  key: string,
  { type, fingerprint }: KeyedRequest,
): Promise<T | null> {
  const known = await db
    .selectFrom('idempotency_keys')
    .select(['type', 'fingerprint', 'sealed_answer'])
    .where('account_id', '=', callerOf(context).accountId)
    .where('key', '=', key)
    .where('created_at', '>', new Date(context.now.getTime() - keptMs))
    .executeTakeFirst();
  if (known === undefined) return null;
  if (known.type !== type || !known.fingerprint.equals(fingerprint) || known.sealed_answer === null) {
    refuse(invalid.base('Idempotency-Key has already been used for another request'));
  }
  return JSON.parse(unseal(context.env.serverKey, keptAnswerPurpose, known.sealed_answer));
}

async function remember(
  trx: Kysely<Schema>,
  context: PlatformContext,
  key: string,
  request: KeyedRequest,
  answer: object,
): Promise<void> {
  const sealed_answer = seal(context.env.serverKey, keptAnswerPurpose, JSON.stringify(answer));
  const values = { ...request, sealed_answer, created_at: context.now };
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: callerOf(context).accountId, key, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(values))
    .execute();
}

/**
 * Schedules the removal of this hour's keys; not in the transaction, in which all creates with a key would wait for
 * each other.
 */
async function scheduleRemoval({ env, now }: PlatformContext): Promise<void> {
  const hour = new Date(Math.ceil((now.getTime() + keptMs) / hourMs) * hourMs);
  await planOnce(env, forgetKeysTask, hour, hour.toISOString());
}
