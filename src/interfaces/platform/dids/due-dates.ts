/** When a number is due: the job that settles due numbers, and how long a number may wait for its registration. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { defineTask } from '../../../engines/jobs/task.ts';

export const settleDueTask = defineTask('dids.settle_due', { priority: 'background' });

/** Adds the job that settles due numbers: one job for all numbers that are due at the same time. */
export async function scheduleDueCheck(trx: Kysely<Schema>, env: Environment, at: Date): Promise<void> {
  await env.jobs.add(trx, settleDueTask, {}, { at, key: `${settleDueTask.name}:${at.toISOString()}` });
}

/** Days that a number may wait for its registration before it leaves the account, with a refund. */
export const defaultRegistrationDays = 30;

/** The end of a wait that begins at `from`; an operator can set another number of days per account. */
export async function registrationDeadline(trx: Kysely<Schema>, accountId: string, from: Date): Promise<Date> {
  const due = registrationDeadlineOf(sql`${accountId}::uuid`, from);
  const { rows } = await sql<{ due: Date }>`select ${due} as due`.execute(trx);
  return rows[0]?.due ?? from;
}

/** The same as SQL, for statements about many numbers. */
function registrationDeadlineOf(accountId: RawBuilder<unknown>, from: Date): RawBuilder<Date> {
  const days = sql`select s.registration_days from review_settings s where s.account_id = ${accountId}`;
  return sql<Date>`(${from}::timestamptz + coalesce((${days}), ${defaultRegistrationDays}::int) * interval '24 hours')`;
}

/** Applies to numbers bought from now on; null means the default. */
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
