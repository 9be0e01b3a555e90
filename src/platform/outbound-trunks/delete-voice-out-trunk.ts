import type { Disconnect } from '../../voice/call.ts';
import { endCallsWhere } from '../../voice/end-elsewhere.ts';
import { momentOf } from '../../voice/moment.ts';
import { callerOf, type PlatformContext } from '../context.ts';

const trunkGone: Disconnect = { code: 403, reason: 'Forbidden', initiator: 'switch' };

/** Calls through it stop at once; numbers linked to it are only let go. */
export async function deleteVoiceOutTrunk(context: PlatformContext, id: string): Promise<void> {
  await context.env.db
    .deleteFrom('voice_out_trunks')
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
  await endCallsWhere(context.env, { trunkId: id }, trunkGone, () => momentOf(context.env.clock));
}
