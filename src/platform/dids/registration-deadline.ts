/** How long a number may wait for its registration before it is taken back, with a refund. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

const USUAL_DAYS = 30;

/** The end of a wait that begins now: an operator may give an account another number of days than the usual. */
export async function registrationDeadline(trx: Kysely<Schema>, accountId: string, from: Date): Promise<Date> {
  const due = registrationDeadlineOf(sql`${accountId}::uuid`, from);
  const { rows } = await sql<{ due: Date }>`select ${due} as due`.execute(trx);
  return rows[0]?.due ?? from;
}

/** The same inside a statement about numbers, most of which wait for nothing. */
export function registrationDeadlineOf(accountId: RawBuilder<unknown>, from: Date): RawBuilder<Date> {
  const days = sql`select s.registration_days from review_settings s where s.account_id = ${accountId}`;
  return sql<Date>`(${from}::timestamptz + coalesce((${days}), ${USUAL_DAYS}::int) * interval '24 hours')`;
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
