import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../db/schema.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { scheduleCallback } from '../../../deliveries/schedule-callback.ts';
import type { Environment } from '../../../environment.ts';
import { endOfPeriods } from '../../dids/billing-period.ts';
import { lookAgainAt } from '../../dids/look-again.ts';
import { writeAudit } from './audit.ts';
import { decidedColumns, type Review, type ReviewOutcome } from './decision.ts';

/** Decides once: the numbers are released or stay as they are, the customer is told, and the log remembers. */
export function decideAddressVerification(env: Environment, review: Review): Promise<ReviewOutcome> {
  const { id, decision, actor, accountId } = review;
  return inTransaction(env.db, async (trx): Promise<ReviewOutcome> => {
    const now = env.clock.now();
    const verification = await trx
      .selectFrom('address_verifications')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!verification || (accountId !== undefined && verification.account_id !== accountId)) {
      return { ok: false, reason: 'not_found' };
    }
    if (verification.status !== 'pending') return { ok: false, reason: 'already_decided' };
    const decided = decidedColumns(decision, now);
    await trx.updateTable('address_verifications').set(decided).where('id', '=', id).execute();
    if (decision.action === 'approve') await releaseNumbers(trx, env, id, now);
    if (verification.callback_url !== null && verification.callback_method !== null) {
      await scheduleCallback(trx, env, {
        accountId: verification.account_id,
        kind: 'address_verifications',
        resourceId: id,
        url: verification.callback_url,
        method: verification.callback_method,
        payload: {
          id,
          type: 'address_verifications',
          status: decided.status,
          reject_reason: decision.action === 'reject' ? decision.reasons.join(', ') : '',
          reject_comment: decision.action === 'reject' ? (decision.comment ?? '') : '',
        },
        sealedSigningKey: verification.sealed_signing_key,
      });
    }
    await writeAudit(trx, {
      at: now,
      actor,
      action: `verification.${decided.status}`,
      accountId: verification.account_id,
      subject: { type: 'address_verifications', id },
      details: { reference: verification.reference },
    });
    return { ok: true, status: decided.status };
  });
}

/** The numbers are registered now. Those that waited for it may be used, and their paid time begins. */
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
      join lateral (select n.awaiting_registration as waited from dids n where n.id = l.did_id) w on true
    where v.id = ${id} and d.id = l.did_id and not d.terminated
    returning w.waited as released
  `.execute(trx);
  if (rows.some(({ released }) => released)) await lookAgainAt(trx, env, expiresAt);
}
