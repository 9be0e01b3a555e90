import { endOutboundCallsOf } from '../../voice/outbound/end-outbound-call.ts';
import { callerOf, type PlatformContext } from '../context.ts';

/** Calls through it stop at once; numbers linked to it are only let go. */
export async function deleteVoiceOutTrunk(context: PlatformContext, id: string): Promise<void> {
  await context.env.db
    .deleteFrom('voice_out_trunks')
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
  await endOutboundCallsOf(context.env, id);
}
