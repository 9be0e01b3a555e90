/** What is written down around sending to a provider, so that whoever comes after a crash knows how far it got. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { hashCode } from '../codes.ts';
import { faultPoint } from '../fault-points.ts';
import { chargeMessage } from '../quote.ts';
import { staleAt } from '../state.ts';
import { giveUpTask } from '../tasks.ts';
import { stillPending } from '../unfinished.ts';
import type { Dispatch } from './dispatch-state.ts';
import { DeliveryWithdrawn } from './provider.ts';

/** Right before a code leaves the house. Only one process gets past this, however often the job runs. */
export async function markBegun(env: Environment, { id }: Dispatch, code: string, providerId: string): Promise<void> {
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

/** The provider surely did not take it, so anybody may send it. */
export async function markRefused(env: Environment, { id }: Dispatch, providerId: string): Promise<void> {
  await env.db
    .updateTable('verifications')
    .set({ dispatch_started_at: null, dispatch_provider_id: null, code_hash: null })
    .where('id', '=', id)
    .where('dispatch_provider_id', '=', providerId)
    .where('dispatched_at', 'is', null)
    .execute();
}

/** A code that is sent beside the first one is accepted beside it: the provider alone knows which of them it has sent. */
export async function addCode(env: Environment, { id }: Dispatch, code: string): Promise<void> {
  await env.db
    .updateTable('verifications')
    .set({ code_hash: sql`code_hash || ${hashCode(env.serverKey, id, code)}::bytea` })
    .where('id', '=', id)
    .where(stillPending(env.clock.now()))
    .execute();
}

export async function markDispatched(
  env: Environment,
  { id }: Dispatch,
  providerId: string,
  messageIds: string[],
): Promise<void> {
  const now = env.clock.now();
  await env.db.transaction().execute(async (trx) => {
    await makeReportable(trx, id, now, false);
    faultPoint('dispatch.marked');
    await chargeMessage(trx, id, now);
    if (messageIds.length === 0) return;
    await trx
      .insertInto('verification_sent_messages')
      .values(
        messageIds.map((messageId) => ({
          provider_id: providerId,
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
 * Nobody can say whether the message went out. It is not sent again, since the number might get two. It does not pass for
 * sent either: the code can be reported, for a right one proves that the message came, and without that proof the record
 * fails at the time by which a dispatch has to be complete.
 */
export async function leaveInDoubt(env: Environment, dispatch: Dispatch): Promise<void> {
  env.log.warn({ verification: dispatch.id }, 'nobody knows whether a code was sent; it is not sent again');
  await env.db.transaction().execute(async (trx) => {
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

/** A process that was taken for dead may come back with the answer: then there is no doubt any more. */
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
