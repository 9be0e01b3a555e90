/** Sends one attempt of a callback, logs it, and schedules what comes next. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { DeliveryStatus } from '../db/tables/deliveries.ts';
import type { Environment } from '../environment.ts';
import { handle } from '../jobs/handler.ts';
import { lanesOf } from '../jobs/lanes.ts';
import { countOutgoing } from '../outbound/metrics.ts';
import { OutboundError, type OutboundErrorKind } from '../outbound/outbound-request.ts';
import { forgetDeliveriesTask } from './callback-log.ts';
import { type CallbackRequest, callbackRequest, type Outgoing, signingSecret } from './callback-request.ts';
import { addAttempt, attemptDeliveryTask, receiverLane } from './schedule-callback.ts';

/** Seconds before attempts 2 to 10; after the tenth the callback is given up. */
export const retryWaits = [60, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800] as const;

const timeoutMs = 60_000;
const keptResponseBytes = 1024;

interface Outcome {
  succeeded: boolean;
  /** The HTTP status, or the kind of the error. */
  result: number | OutboundErrorKind;
  status: number | null;
  error: string | null;
  answer: string | null;
  durationMs: number;
}

export const attemptDelivery = handle(attemptDeliveryTask, async ({ delivery_id }, { env, signal }) => {
  const delivery = await load(env, delivery_id);
  if (delivery === null || delivery.status !== 'pending') return;
  const secret = signingSecret(env, delivery);
  if (secret === null || !delivery.callbacks_on) return drop(env, delivery.id);

  const attemptedAt = env.clock.now();
  const request = callbackRequest(delivery, secret, env.headerWord, attemptedAt);
  const outcome = await send(env, request, signal);
  remember(env, delivery, outcome);
  await env.db.transaction().execute(async (trx) => {
    await log(trx, env, { delivery, request, outcome, attemptedAt });
    await settle(trx, env, delivery, outcome);
  });
});

interface Delivery extends Outgoing {
  account_id: string;
  kind: string;
  status: DeliveryStatus;
  attempts: number;
  sealed_callback_secret: string | null;
  sealed_signing_key: string | null;
  callbacks_on: boolean;
}

async function load(env: Environment, id: string): Promise<Delivery | null> {
  const { rows } = await sql<Delivery>`
    select d.id, d.account_id, d.kind, d.url, d.method, d.payload, d.status, d.attempts, d.sealed_signing_key,
           a.sealed_callback_secret, coalesce((a.features->>'callbacks')::boolean, true) as callbacks_on
    from deliveries d join accounts a on a.id = d.account_id
    where d.id = ${id}
  `.execute(env.db);
  return rows[0] ?? null;
}

async function drop(env: Environment, id: string): Promise<void> {
  await env.db
    .updateTable('deliveries')
    .set({ status: 'dropped', next_attempt_at: null, finished_at: env.clock.now() })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}

/**
 * Rejects if the request was aborted because the process stops: that does not count as an attempt, and the job runs
 * again.
 */
async function send(env: Environment, request: CallbackRequest, signal: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  const durationMs = () => Math.round(performance.now() - started);
  try {
    const limits = { timeoutMs, maxResponseBytes: keptResponseBytes, oversize: 'cut', signal } as const;
    const { status, body } = await env.outbound.request({ ...request, ...limits });
    // PostgreSQL's text cannot contain a zero byte.
    const answer = body.toString('utf8').replaceAll('\0', '\ufffd');
    const succeeded = status >= 200 && status <= 298;
    return { succeeded, result: status, status, error: null, answer, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind === 'aborted') throw error;
    const text = `${error.kind}: ${error.message}`;
    const result = error.kind;
    return { succeeded: false, result, status: null, error: text, answer: null, durationMs: durationMs() };
  }
}

/** A receiver that times out gets one request at a time until it responds again. */
function remember(env: Environment, delivery: Delivery, { succeeded, result, status, error }: Outcome): void {
  countOutgoing(env, 'callback', { ok: succeeded, result });
  const lane = receiverLane(delivery);
  if (result === 'timeout') lanesOf(env).narrow(lane);
  else lanesOf(env).widen(lane);
  if (succeeded) return;
  const about = { delivery: delivery.id, account: delivery.account_id, kind: delivery.kind };
  env.log.warn({ ...about, attempt: delivery.attempts + 1, reason: error ?? `status ${status}` }, 'a callback failed');
}

interface Attempt {
  delivery: Delivery;
  request: CallbackRequest;
  outcome: Outcome;
  attemptedAt: Date;
}

async function log(trx: Kysely<Schema>, env: Environment, { delivery, request, outcome, attemptedAt }: Attempt) {
  const { rows } = await sql<{ made: boolean }>`
    select ensure_month_partition('delivery_attempts', ${attemptedAt}) as made`.execute(trx);
  if (rows[0]?.made === true) await env.jobs.add(trx, forgetDeliveriesTask, {}, { at: forgetAfter(attemptedAt) });
  await trx
    .insertInto('delivery_attempts')
    .values({
      delivery_id: delivery.id,
      attempted_at: attemptedAt,
      attempt: delivery.attempts + 1,
      request: JSON.stringify(request),
      status: outcome.status,
      error: outcome.error,
      answer: outcome.answer,
      duration_ms: outcome.durationMs,
    })
    .execute();
}

/** When the last attempt of this month is 30 days old. */
function forgetAfter(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 31));
}

async function settle(
  trx: Kysely<Schema>,
  env: Environment,
  delivery: Delivery,
  { succeeded }: Outcome,
): Promise<void> {
  const now = env.clock.now();
  const wait = retryWaits[delivery.attempts];
  if (succeeded) return finish(trx, env, delivery, now);
  const next = wait === undefined ? null : new Date(now.getTime() + wait * 1000);
  await trx
    .updateTable('deliveries')
    .set({
      attempts: delivery.attempts + 1,
      next_attempt_at: next,
      ...(next === null ? { status: 'failed' as const, finished_at: now } : {}),
    })
    .where('id', '=', delivery.id)
    .execute();
  if (next !== null) await addAttempt(trx, env, delivery, next);
}

/** Entries that joined the batch during the request are sent at once. */
async function finish(trx: Kysely<Schema>, env: Environment, delivery: Delivery, now: Date): Promise<void> {
  const sent = Array.isArray(delivery.payload) ? delivery.payload.length : null;
  const current = await trx
    .selectFrom('deliveries')
    .select('payload')
    .where('id', '=', delivery.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const rest = sent !== null && Array.isArray(current.payload) ? current.payload.slice(sent) : [];
  const change =
    rest.length > 0
      ? { payload: JSON.stringify(rest), attempts: 0, next_attempt_at: now }
      : { status: 'delivered' as const, attempts: delivery.attempts + 1, next_attempt_at: null, finished_at: now };
  await trx.updateTable('deliveries').set(change).where('id', '=', delivery.id).execute();
  if (rest.length > 0) await addAttempt(trx, env, delivery, now);
}
