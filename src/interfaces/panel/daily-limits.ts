/**
 * Limits a day to what reaches strangers or tells about other customers, such as invitations, in all processes
 * together.
 */
import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';

const daySeconds = 24 * 3600;

interface DailyLimit {
  /** What is limited, and for whom; only a digest is stored. */
  subject: string;
  limit: number;
}

/** Counts one for each subject, within the transaction `trx`. 429 if one has reached its limit. */
export async function countDaily(
  trx: Kysely<Schema>,
  { clock }: Pick<Environment, 'clock'>,
  limited: readonly DailyLimit[],
): Promise<void> {
  const at = clock.now();
  const since = new Date(at.getTime() - daySeconds * 1000);
  await trx.deleteFrom('daily_counts').where('at', '<=', since).execute();
  for (const { subject, limit } of limited) {
    const digest = hash('sha256', subject, 'buffer');
    // Until the end of the transaction: two requests at once do not both get the last place.
    await sql`select pg_advisory_xact_lock(${digest.readBigInt64BE(0)}::bigint)`.execute(trx);
    const { count, first } = await trx
      .selectFrom('daily_counts')
      .select(({ fn }) => [fn.countAll<string>().as('count'), fn.min('at').as('first')])
      .where('subject', '=', digest)
      .where('at', '>', since)
      .executeTakeFirstOrThrow();
    if (Number(count) >= limit) {
      const wait = daySeconds - Math.floor((at.getTime() - new Date(first).getTime()) / 1000);
      throw new ApiError([tooManyToday], { 'retry-after': String(Math.max(1, wait)) });
    }
    await trx.insertInto('daily_counts').values({ subject: digest, at }).execute();
  }
}

const tooManyToday = errors.refused(429, 'Too many today', 'This was asked for too often today. Try again tomorrow.');
