import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

/** Ends a service for good: its numbers leave it, and a submission that was under review has nothing to be about. */
export async function endService(trx: Kysely<Schema>, env: Environment, id: string): Promise<void> {
  const now = env.clock.now();
  await trx
    .updateTable('emergency_calling_services')
    .set({ status: 'canceled', canceled_at: now, renew_date: null })
    .where('id', '=', id)
    .execute();
  await trx
    .updateTable('emergency_verifications')
    .set({ status: 'rejected', decided_at: now, reject_reasons: ['Emergency Calling Service was canceled'] })
    .where('emergency_calling_service_id', '=', id)
    .where('status', '=', 'pending')
    .execute();
  await trx
    .updateTable('dids')
    .set({ emergency_calling_service_id: null, emergency_verification_id: null, emergency_enabled: false })
    .where('emergency_calling_service_id', '=', id)
    .execute();
}
