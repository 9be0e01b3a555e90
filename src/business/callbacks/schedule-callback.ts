/** Stores a callback in the transaction that causes it; a job sends it after the commit. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { DeliveryMethod } from '../../engines/db/tables/deliveries.ts';
import type { Environment } from '../../engines/environment.ts';
import { addAttempt } from './attempt-job.ts';
import { joinBatch } from './batches.ts';
import { type Payload, readCallbackUrl } from './callback-request.ts';

export interface Callback {
  accountId: string;
  /** The subject, as in the payload's `type`: `orders`, `exports` … */
  kind: string;
  resourceId: string;
  url: string;
  method: DeliveryMethod;
  payload: Payload;
  /** From `sealSigningKey`; signs if the account has no callback secret. */
  sealedSigningKey: string | null;
  /**
   * `json` only: callbacks of one batch go out in order, and what piles up while the receiver fails goes out together.
   */
  batch?: string;
}

/** A record whose customer may have asked for a report of its outcome. */
export interface ReportedRecord {
  id: string;
  account_id: string;
  callback_url: string | null;
  callback_method: 'get' | 'post' | null;
  sealed_signing_key: string | null;
}

/** Reports the outcome of a record, if that was asked for. */
export async function scheduleReport(
  trx: Kysely<Schema>,
  env: Environment,
  type: string,
  { id, account_id: accountId, callback_url: url, callback_method: method, sealed_signing_key }: ReportedRecord,
  outcome: Payload,
): Promise<void> {
  if (url === null || method === null) return;
  const payload = { id, type, ...outcome };
  const about = { accountId, kind: type, resourceId: id, sealedSigningKey: sealed_signing_key };
  await scheduleCallback(trx, env, { ...about, url, method, payload });
}

/** Does nothing if the operator has switched callbacks off for the account. */
export async function scheduleCallback(trx: Kysely<Schema>, env: Environment, callback: Callback): Promise<void> {
  const url = readCallbackUrl(callback.url);
  if (url === null) throw new Error('a callback URL that was accepted cannot be read');
  const now = env.clock.now();
  const { batch = null } = callback;
  if (batch !== null && (await joinBatch(trx, batch, callback.payload))) return;
  const payload = JSON.stringify(callback.method === 'json' ? [callback.payload] : callback.payload);
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (account_id, kind, resource_id, url, method, payload, batch, place, sealed_signing_key,
                            next_attempt_at, created_at)
    select ${callback.accountId}, ${callback.kind}, ${callback.resourceId}, ${url}, ${callback.method}, ${payload}::jsonb,
           ${batch}, case when ${batch}::text is not null then nextval('deliveries_places') end, ${callback.sealedSigningKey}, ${now}, ${now}
    from accounts where id = ${callback.accountId} and coalesce((features->>'callbacks')::boolean, true)
    returning id
  `.execute(trx);
  const [delivery] = rows;
  if (delivery === undefined) return;
  await addAttempt(trx, env, { id: delivery.id, account_id: callback.accountId, url }, now);
}
