/**
 * How far the sending of a code got, each step stored before the next one is taken: begun, refused, sent, or in doubt.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { hashCode } from '../codes.ts';
import type { OutcomeCode } from '../errors.ts';
import { faultPoint } from '../fault-points.ts';
import { givingBack } from '../start-counts.ts';
import { staleAt, stillPending } from '../verification.ts';
import { DeliveryWithdrawn } from './provider.ts';
import type { Dispatch, OfVerification } from './waiting-code.ts';

/**
 * The dispatch has ended without a message: the record fails, unless something else has ended it, and counts for no
 * guard.
 */
export async function endDispatch(env: Environment, id: string, errorCode: OutcomeCode): Promise<void> {
  const now = env.clock.now();
  await sql`
    with ended as (
      update verifications set status = 'failed', error_code = ${errorCode}, final_at = ${now}
      where id = ${id} and ${stillPending(now)}
      returning counted_in
    ) ${givingBack('ended')}`.execute(env.db);
}

const giveUpTask = defineTask<OfVerification>('verification.give_up', { priority: 'codes' });

/**
 * Called right before a code is sent. Only one process gets past this, however often the job runs. The provider is null
 * for a call through the carriers.
 */
export async function markBegun(
  env: Environment,
  { id }: Dispatch,
  code: string,
  providerId: string | null,
): Promise<void> {
  const now = env.clock.now();
  const { numUpdatedRows } = await env.db
    .updateTable('verifications')
    .set({
      dispatch_started_at: now,
      dispatch_provider_id: providerId,
      code_hash: hashCode(env.serverKey, id, code),
    })
    .where('id', '=', id)
    .where('dispatch_started_at', 'is', null)
    .where(stillPending(now))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new DeliveryWithdrawn();
  faultPoint('dispatch.begun');
}

/** The provider certainly did not take the message, so it may be sent again. */
export async function markRefused(env: Environment, { id }: Dispatch, providerId: string | null): Promise<void> {
  await env.db
    .updateTable('verifications')
    .set({ dispatch_started_at: null, dispatch_provider_id: null, code_hash: null })
    .where('id', '=', id)
    .where('dispatch_provider_id', 'is not distinct from', providerId)
    .where('dispatched_at', 'is', null)
    .execute();
}

/** Accepts a second code besides the first: only the provider knows which of them it has sent. */
export async function addCode(env: Environment, { id }: Dispatch, code: string): Promise<void> {
  await env.db
    .updateTable('verifications')
    .set({ code_hash: sql`code_hash || ${hashCode(env.serverKey, id, code)}::bytea` })
    .where('id', '=', id)
    .where(stillPending(env.clock.now()))
    .execute();
}

/** `sent` is null for a call through the carriers, which are not asked for receipts. */
export async function markDispatched(
  env: Environment,
  { id }: Dispatch,
  sent: { providerId: string; messageIds: string[] } | null,
): Promise<void> {
  const now = env.clock.now();
  await inTransaction(env.db, async (trx) => {
    await makeReportable(trx, id, now, false);
    faultPoint('dispatch.marked');
    await sql`select charge_verification(${id}, ${now}, false)`.execute(trx);
    if (sent === null || sent.messageIds.length === 0) return;
    await trx
      .insertInto('verification_sent_messages')
      .values(
        sent.messageIds.map((messageId) => ({
          provider_id: sent.providerId,
          message_id: messageId,
          verification_id: id,
          sent_at: now,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/**
 * It is unknown whether the message was sent. It is not sent again, because the number might get two. The code can be
 * reported, because a right code proves that the message arrived; without that proof the record fails at the time by
 * which a dispatch must be complete.
 */
export async function leaveInDoubt(env: Environment, dispatch: Dispatch): Promise<void> {
  env.log.warn({ verification: dispatch.id }, 'nobody knows whether a code was sent; it is not sent again');
  await inTransaction(env.db, async (trx) => {
    await makeReportable(trx, dispatch.id, env.clock.now(), true);
    const at = staleAt({ created_at: dispatch.createdAt });
    await env.jobs.add(trx, giveUpTask, { verification_id: dispatch.id }, { at });
  });
}

export const giveUpInDoubt = handle(giveUpTask, async ({ verification_id }, { env }) => {
  const now = env.clock.now();
  await env.db
    .updateTable('verifications')
    .set({ status: 'failed', error_code: 'stale_dispatch', final_at: now })
    .where('id', '=', verification_id)
    .where('dispatch_in_doubt', '=', true)
    .where(stillPending(now))
    .execute();
});

/** A process that was thought dead may still store the provider's response, which ends the doubt. */
async function makeReportable(trx: Kysely<Schema>, id: string, now: Date, inDoubt: boolean): Promise<void> {
  await trx
    .updateTable('verifications')
    .set({ dispatched_at: now, dispatch_in_doubt: inDoubt })
    .where('id', '=', id)
    .where((where) =>
      inDoubt
        ? where('dispatched_at', 'is', null)
        : where.or([where('dispatched_at', 'is', null), where('dispatch_in_doubt', '=', true)]),
    )
    .where(stillPending(now))
    .execute();
}
