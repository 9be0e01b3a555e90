/** Sends a trunk's callback when it was blocked or became active again. */
import type { Kysely, Selectable } from 'kysely';
import { scheduleCallback } from '../../callbacks/schedule-callback.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

type Trunk = Pick<
  Selectable<Schema['voice_out_trunks']>,
  'id' | 'account_id' | 'status' | 'threshold_reached' | 'callback_url' | 'sealed_signing_key'
>;

/** Always a JSON list: entries that accumulate while the receiver fails are sent together. */
export async function announceTrunk(trx: Kysely<Schema>, env: Environment, trunk: Trunk): Promise<void> {
  if (trunk.callback_url === null) return;
  await scheduleCallback(trx, env, {
    accountId: trunk.account_id,
    kind: 'voice_out_trunks',
    resourceId: trunk.id,
    url: trunk.callback_url,
    method: 'json',
    payload: {
      id: trunk.id,
      type: 'voice_out_trunks',
      status: trunk.status,
      threshold_reached: trunk.threshold_reached,
      created_at: env.clock.now().toISOString(),
    },
    sealedSigningKey: trunk.sealed_signing_key,
    batch: `voice_out_trunks ${trunk.id} ${trunk.callback_url}`,
  });
}
