/**
 * Hashes the codes that a sandbox's inbox shows with the newest server key: a hash of another key could not be compared
 * any more.
 */
import type { Environment } from '../../engines/environment.ts';
import { hashCode } from './codes.ts';

export async function rehashCodes(env: Pick<Environment, 'db' | 'serverKey'>): Promise<void> {
  const pending = await env.db
    .selectFrom('verifications as v')
    .innerJoin('sandbox_messages as m', 'm.verification_id', 'v.id')
    .select(['v.id', 'm.code'])
    .where('v.status', '=', 'pending')
    .where('v.code_hash', 'is not', null)
    .where('m.copy', '=', 1)
    .execute();
  for (const { id, code } of pending) {
    const code_hash = hashCode(env.serverKey, id, code);
    await env.db.updateTable('verifications').set({ code_hash }).where('id', '=', id).execute();
  }
}
