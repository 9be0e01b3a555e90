/** Decides an address verification. An approval releases its numbers; a rejection changes nothing about them. */
import { type Kysely, sql } from 'kysely';
import { billReleasedNumbers } from '../../billing/billed-dates.ts';
import { endOfPeriods } from '../../billing/calendar.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Environment } from '../../environment.ts';
import { scheduleDueCheck } from '../dids/due-dates.ts';
import { closeReview, type Review, type ReviewOutcome } from './decision.ts';

export function decideAddressVerification(env: Environment, review: Review): Promise<ReviewOutcome> {
  return inTransaction(env.db, async (trx) => {
    const outcome = await closeReview(trx, env, 'address_verifications', review);
    if (outcome.ok && outcome.status === 'approved') await releaseNumbers(trx, env, review.id, env.clock.now());
    return outcome;
  });
}

/** Registers the numbers. For numbers that were not usable until now, the first paid month begins. */
async function releaseNumbers(trx: Kysely<Schema>, env: Environment, id: string, now: Date): Promise<void> {
  const expiresAt = endOfPeriods(now, 1);
  const { rows } = await sql<{ released: boolean }>`
    update dids d set
      address_verification_id = v.id,
      identity_id = a.identity_id,
      awaiting_registration = false,
      billed_since = case when w.waited then ${now}::timestamptz else d.billed_since end,
      periods = case when w.waited then 1 else d.periods end,
      expires_at = case when w.waited then ${expiresAt}::timestamptz else d.expires_at end,
      due_at = case when w.waited then ${expiresAt}::timestamptz else d.due_at end
    from address_verifications v
      join addresses a on a.id = v.address_id
      join address_verification_dids l on l.address_verification_id = v.id
      join lateral (select n.awaiting_registration and n.expires_at is null as waited from dids n where n.id = l.did_id) w on true
    where v.id = ${id} and d.id = l.did_id and not d.terminated
    returning w.waited as released
  `.execute(trx);
  if (!rows.some(({ released }) => released)) return;
  await billReleasedNumbers(trx, id, now);
  await scheduleDueCheck(trx, env, expiresAt);
}
