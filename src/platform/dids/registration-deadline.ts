/** How long a number may wait for its registration before it is taken back, with a refund. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

const USUAL_DAYS = 30;

/** The end of a wait that begins now: an operator may give an account another number of days than the usual. */
export async function registrationDeadline(trx: Kysely<Schema>, accountId: string, from: Date): Promise<Date> {
  const setting = await trx
    .selectFrom('review_settings')
    .select('registration_days')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return new Date(from.getTime() + (setting?.registration_days ?? USUAL_DAYS) * 86_400_000);
}

/** Counts for numbers bought from now on; null is the usual. */
export async function setRegistrationDays(
  env: Environment,
  accountId: string,
  registration_days: number | null,
): Promise<void> {
  await env.db
    .insertInto('review_settings')
    .values({ account_id: accountId, auto_decision: null, registration_days })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ registration_days }))
    .execute();
}
