/** Stores a callback in the transaction that causes it; a job sends it after the commit. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { DeliveryMethod } from '../db/tables/deliveries.ts';
import type { Environment } from '../environment.ts';
import { defineTask } from '../jobs/task.ts';
import { type Payload, readCallbackUrl } from './callback-request.ts';

export const attemptDeliveryTask = defineTask<{ delivery_id: string }>('deliveries.attempt', {
  priority: 'callbacks',
  outward: true,
  // One account can use only a part of a process's parallel requests, and one receiver only a part of that.
  lanes: { receiver: 8, account: 64 },
});

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
  /** `json` only: entries of one batch that accumulate while the receiver fails are sent together. */
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
  const payload = JSON.stringify(callback.method === 'json' ? [callback.payload] : callback.payload);
  const { rows } = await sql<{ id: string; attempts: number }>`
    insert into deliveries as d (account_id, kind, resource_id, url, method, payload, batch, sealed_signing_key,
                                 next_attempt_at, created_at)
    select ${callback.accountId}, ${callback.kind}, ${callback.resourceId}, ${url}, ${callback.method}, ${payload}::jsonb,
           ${callback.batch ?? null}, ${callback.sealedSigningKey}, ${now}, ${now}
    from accounts where id = ${callback.accountId} and coalesce((features->>'callbacks')::boolean, true)
    on conflict (batch) where batch is not null and status = 'pending'
      do update set payload = d.payload || excluded.payload
    returning id, attempts
  `.execute(trx);
  const [delivery] = rows;
  // An entry that joined a batch is sent with the next attempt of the batch.
  if (delivery?.attempts !== 0) return;
  await addAttempt(trx, env, { id: delivery.id, account_id: callback.accountId, url }, now);
}

interface Receiver {
  account_id: string;
  url: string;
}

/** Adds the job of an attempt. Attempts to one receiver wait for each other; they do not delay other accounts. */
export function addAttempt(
  trx: Kysely<Schema>,
  env: Environment,
  delivery: Receiver & { id: string },
  at: Date,
): Promise<void> {
  const lanes = [receiverLane(delivery), `account ${delivery.account_id}`];
  const options = { at, key: `delivery:${delivery.id}`, lanes };
  return env.jobs.add(trx, attemptDeliveryTask, { delivery_id: delivery.id }, options);
}

/** Includes the account, because many accounts may use receivers of one host. */
export function receiverLane({ account_id, url }: Receiver): string {
  return `receiver ${account_id} ${URL.parse(url)?.origin}`;
}
