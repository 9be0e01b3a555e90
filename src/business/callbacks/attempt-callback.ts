/** Sends one attempt of a callback, logs it, and schedules what comes next. */

import { ensureMonth, monthIsOld } from '../../engines/db/months.ts';
import { runPrepared, type Statement, statement } from '../../engines/db/statement.ts';
import type { DeliveryStatus } from '../../engines/db/tables/deliveries.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import type { TakenFault } from '../../engines/injected-faults.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { planOnce } from '../../engines/jobs/plan-once.ts';
import { OutboundError, type OutboundErrorKind } from '../../engines/outbound/outbound-request.ts';
import { addAttempt, attemptDeliveryTask, receiverLane } from './attempt-job.ts';
import { claimTurn, lockBatch, wakeBatch } from './batches.ts';
import { forgetDeliveriesTask, keptDays } from './callback-log.ts';
import { type CallbackRequest, callbackRequest, type Outgoing, signingSecret } from './callback-request.ts';
import { tellListeners, type WithListeners } from './listeners.ts';

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

export const attemptDelivery = handle(
  attemptDeliveryTask,
  async ({ delivery_id }, { env, signal }: TaskContext<Environment & WithListeners>) => {
    const loaded = await load(env, delivery_id);
    if (loaded === null || loaded.status !== 'pending') return;
    const secret = signingSecret(env, loaded);
    if (secret === null || !loaded.callbacks_on) return drop(env, loaded);
    const turn = isBatched(loaded) ? await claimTurn(env, loaded) : {};
    if (turn === null) return;
    const delivery = { ...loaded, ...turn };

    const fault = delivery.attempts === 0 ? await env.faults?.take(callbackFaults, delivery.account_id) : null;
    if (fault?.name === 'callback.lost') return drop(env, delivery);
    if (fault && fault.name !== 'callback.doubled') return postpone(env, delivery, fault);

    const times = delivery.attempts > 0 ? 0 : fault === null || fault === undefined ? 1 : 2;
    for (let n = 0; n < times; n++) await tellListeners(env, delivery.account_id, { callback: delivery.id });
    const attemptedAt = env.clock.now();
    const request = callbackRequest(delivery, secret, env.headerWord, attemptedAt);
    if (fault?.name === 'callback.doubled') await send(env, request, signal);
    const outcome = await send(env, request, signal);
    remember(env, delivery, outcome);
    await prepareMonth(env, attemptedAt);
    await record(env, { delivery, request, outcome, attemptedAt });
  },
);

interface Delivery extends Outgoing {
  account_id: string;
  kind: string;
  status: DeliveryStatus;
  batch: string | null;
  attempts: number;
  sealed_callback_secret: string | null;
  sealed_signing_key: string | null;
  callbacks_on: boolean;
}

async function load(env: Environment, id: string): Promise<Delivery | null> {
  const loading = statement<Delivery>`
    select d.id, d.account_id, d.kind, d.url, d.method, d.payload, d.status, d.batch, d.attempts, d.sealed_signing_key,
           a.sealed_callback_secret, coalesce((a.features->>'callbacks')::boolean, true) as callbacks_on
    from deliveries d join accounts a on a.id = d.account_id
    where d.id = ${id}`;
  return (await runPrepared(env.pool, 'callbacks_load', loading))[0] ?? null;
}

const isBatched = (delivery: Delivery): delivery is Delivery & { batch: string } => delivery.batch !== null;

async function drop(env: Environment, delivery: Delivery): Promise<void> {
  await inTransaction(env.db, async (trx) => {
    if (isBatched(delivery)) await lockBatch(trx, delivery.batch);
    await trx
      .updateTable('deliveries')
      .set({ status: 'dropped', sending: false, next_attempt_at: null, finished_at: env.clock.now() })
      .where('id', '=', delivery.id)
      .where('status', '=', 'pending')
      .execute();
    if (isBatched(delivery)) await wakeBatch(trx, env, delivery);
  });
}

/** Faults that a test in the sandbox may ask for; the others of a callback are those of its receiver. */
const callbackFaults = ['callback.lost', 'callback.doubled', 'callback.late', 'callback.out_of_order'] as const;
const lateSeconds = { 'callback.late': 3600, 'callback.out_of_order': 60 };

async function postpone(env: Environment, delivery: Delivery, { name, seconds }: TakenFault): Promise<void> {
  const wait = seconds ?? lateSeconds[name === 'callback.late' ? name : 'callback.out_of_order'];
  const at = new Date(env.clock.now().getTime() + wait * 1000);
  await inTransaction(env.db, async (trx) => {
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: at, sending: false })
      .where('id', '=', delivery.id)
      .execute();
    await addAttempt(trx, env, delivery, at);
  });
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
  env.outbound.sent.count('callback', { ok: succeeded, result });
  const lane = receiverLane(delivery);
  if (result === 'timeout') env.jobs.lanes.narrow(lane);
  else env.jobs.lanes.widen(lane);
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

/**
 * Makes the partition of the attempt's month, and plans its removal: when the last attempt of the month is 30 days old.
 */
async function prepareMonth(env: Environment, at: Date): Promise<void> {
  await ensureMonth(env.pool, 'delivery_attempts', at);
  const removedAt = monthIsOld(at, keptDays);
  await planOnce(env, forgetDeliveriesTask, removedAt, removedAt.toISOString());
}

/**
 * A callback that has arrived, nearly every one, takes a single statement: callbacks must keep up with what causes
 * them.
 */
async function record(env: Environment, attempt: Attempt): Promise<void> {
  const { delivery, outcome } = attempt;
  const now = env.clock.now();
  if (outcome.succeeded && delivery.batch === null) {
    await runPrepared(env.pool, 'callbacks_record', recording(attempt, delivered(delivery, now)));
    return;
  }
  await inTransaction(env.db, async (trx) => {
    if (isBatched(delivery)) await lockBatch(trx, delivery.batch);
    const change = outcome.succeeded ? delivered(delivery, now) : afterFailure(delivery, now);
    const { rows } = await recording(attempt, change).toKysely().execute(trx);
    const isWanted = rows.length > 0;
    if (isWanted && change.nextAttemptAt !== null) await addAttempt(trx, env, delivery, change.nextAttemptAt);
    if (isBatched(delivery)) await wakeBatch(trx, env, delivery);
  });
}

/** What an attempt changes in its delivery. */
interface Change {
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
}

function delivered({ attempts }: Delivery, now: Date): Change {
  return { status: 'delivered', attempts: attempts + 1, nextAttemptAt: null, finishedAt: now };
}

function afterFailure({ attempts }: Delivery, now: Date): Change {
  const wait = retryWaits[attempts];
  const common = { attempts: attempts + 1 };
  if (wait === undefined) return { ...common, status: 'failed', nextAttemptAt: null, finishedAt: now };
  return { ...common, status: 'pending', nextAttemptAt: new Date(now.getTime() + wait * 1000), finishedAt: null };
}

/**
 * An attempt that failed does not bring back what an operator has discarded meanwhile; one that arrived has arrived.
 */
function recording({ delivery, request, outcome, attemptedAt }: Attempt, change: Change): Statement<{ id: string }> {
  return statement<{ id: string }>`
    with logged as (
      insert into delivery_attempts (delivery_id, attempted_at, attempt, request, status, error, answer, duration_ms)
      values (${delivery.id}, ${attemptedAt}, ${delivery.attempts + 1}, ${JSON.stringify(request)}, ${outcome.status},
              ${outcome.error}, ${outcome.answer}, ${outcome.durationMs})
    )
    update deliveries set status = ${change.status}, attempts = ${change.attempts}, next_attempt_at = ${change.nextAttemptAt},
      finished_at = ${change.finishedAt}, sending = false
    where id = ${delivery.id} and (status = 'pending' or ${outcome.succeeded}::boolean)
    returning id`;
}
