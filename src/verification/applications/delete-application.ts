/** Deletes an OTP application: it authenticates nobody any more, and what was in flight has failed. */
import type { Environment } from '../../environment.ts';
import { OperatorError } from '../../operator-error.ts';
import { stillPending } from '../unfinished.ts';
import { uuidv7Floor } from '../uuidv7.ts';

/** No verification lives longer than this before it is final (the longest code timeout, and the callback's wait). */
const LONGEST_LIFE_MS = (600 + 60) * 1000;

/**
 * A start that is being made in this very moment may still commit after this; its dispatch finds the application gone
 * and ends the record the same way.
 */
export async function deleteApplication(env: Environment, id: string): Promise<void> {
  const now = env.clock.now();
  await env.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('otp_applications')
      .set({ deleted_at: now })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new OperatorError('There is no such application.');
    await trx
      .updateTable('verifications')
      .set({ status: 'failed', error_code: 'application_deleted', final_at: now })
      .where('application_id', '=', id)
      .where('id', '>=', uuidv7Floor(new Date(now.getTime() - LONGEST_LIFE_MS)))
      .where(stillPending(now))
      .execute();
  });
}
