/** A setting for test environments: every submission of an account is approved or rejected at once. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import type { ReviewedType } from './decision.ts';
import { autoDecideTask } from './tasks.ts';

export async function setAutoDecision(
  env: Environment,
  accountId: string,
  decision: 'approve' | 'reject' | null,
): Promise<void> {
  await env.db
    .insertInto('review_settings')
    .values({ account_id: accountId, auto_decision: decision })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ auto_decision: decision }))
    .execute();
}

/** Adds the job in the transaction of the submission, so that it runs right after. */
export async function scheduleAutoDecision(
  trx: Kysely<Schema>,
  env: Environment,
  type: ReviewedType,
  id: string,
  accountId: string,
): Promise<void> {
  const setting = await trx
    .selectFrom('review_settings')
    .select('auto_decision')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const action = setting?.auto_decision;
  if (action) await env.jobs.add(trx, autoDecideTask, { type, id, action });
}
