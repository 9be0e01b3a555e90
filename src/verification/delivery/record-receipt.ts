/** Notes what became of a sent message; one that a network could not deliver fails its verification. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import type { Receipt } from '../smpp/receipt.ts';
import { stillPending } from '../unfinished.ts';

/** A receipt may overtake the note of the message it is about. */
const WAITS_MS = [0, 200, 1000, 3000];

/** Returns whether the message is known. */
export async function recordReceipt(
  env: Environment,
  providerId: string,
  { messageId, state }: Receipt,
): Promise<boolean> {
  if (state === 'underway') return true;
  for (const wait of WAITS_MS) {
    await pause(wait);
    if (await record(env, providerId, messageId, state)) return true;
  }
  env.log.info({ provider: providerId }, 'a delivery receipt for no message that is known');
  return false;
}

function record(
  env: Environment,
  providerId: string,
  messageId: string,
  state: 'delivered' | 'failed',
): Promise<boolean> {
  const now = env.clock.now();
  return env.db.transaction().execute(async (trx) => {
    const message = await trx
      .updateTable('verification_sent_messages')
      .set({ receipt: state, receipt_at: now })
      .where('provider_id', '=', providerId)
      .where('message_id', '=', messageId)
      .returning('verification_id')
      .executeTakeFirst();
    if (message === undefined) return false;
    if (state === 'failed') {
      await trx
        .updateTable('verifications')
        .set({ status: 'failed', error_code: 'dispatch_failed', final_at: now })
        .where('id', '=', message.verification_id)
        .where(stillPending(now))
        .execute();
    }
    return true;
  });
}
