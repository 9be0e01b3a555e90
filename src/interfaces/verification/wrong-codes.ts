/**
 * Wrong codes of an account for one number, counted by the day over all its starts and applications
 * (`dailyWrongCodes`): every start gives three attempts anew, and with enough starts a code would be guessed. When the
 * day's are used up, what is pending for the number fails, and starts are refused until the next day (start-guards.ts).
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { hasRoom, wrongCodesOf } from './start-counts.ts';
import { stillPending, type VerificationRow } from './verification.ts';

type Counted = Pick<VerificationRow, 'account_id' | 'destination'>;

/** Whether no further code for this number may be compared today; if so, what is pending has failed. */
export async function wrongCodesUsedUp(env: Environment, row: Counted, limit: number | null): Promise<boolean> {
  if (limit === null || (await hasRoom(env.db, counterOf(env, row, limit)))) return false;
  await endPending(env, env.db, row);
  return true;
}

/** Runs `count`, which returns whether a wrong code was counted in its record, and counts it for the number as well. */
export async function countingForNumber(
  env: Environment,
  row: Counted,
  limit: number | null,
  count: (db: Kysely<Schema>) => Promise<boolean>,
): Promise<boolean> {
  if (limit === null) return count(env.db);
  return inTransaction(env.db, async (trx) => {
    const { guard, subject, windowStart } = counterOf(env, row, limit);
    // The counter is locked before any record: two reports of one number's records wait for each other only here.
    const counter = await trx
      .insertInto('verification_counters')
      .values({ guard, subject, window_start: windowStart, count: 0 })
      .onConflict((conflict) =>
        conflict.columns(['guard', 'subject', 'window_start']).doUpdateSet({ count: sql`verification_counters.count` }),
      )
      .returning('count')
      .executeTakeFirstOrThrow();
    if (!(await count(trx))) return false;
    await trx
      .updateTable('verification_counters')
      .set({ count: sql`count + 1` })
      .where('guard', '=', guard)
      .where('subject', '=', subject)
      .where('window_start', '=', windowStart)
      .execute();
    if (counter.count + 1 >= limit) await endPending(env, trx, row);
    return true;
  });
}

const counterOf = (env: Environment, { account_id, destination }: Counted, limit: number) =>
  wrongCodesOf(limit, account_id, destination, env.clock.now());

async function endPending(env: Environment, db: Kysely<Schema>, { account_id, destination }: Counted): Promise<void> {
  const now = env.clock.now();
  await db
    .updateTable('verifications')
    .set({ status: 'failed', error_code: 'too_many_attempts', final_at: now })
    .where('application_id', 'in', (applications) =>
      applications.selectFrom('otp_applications').select('id').where('account_id', '=', account_id),
    )
    .where('destination', '=', destination)
    .where(stillPending(now))
    .execute();
}
