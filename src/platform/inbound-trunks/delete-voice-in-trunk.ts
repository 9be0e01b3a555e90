import { invalid, refuse } from '../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';

const IN_A_GROUP = 'The trunk cannot be removed while it belongs to a trunk group';

/** Refused while a number is routed to it (the foreign key decides) or it belongs to a group. */
export async function deleteVoiceInTrunk(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  const free = await context.env.db
    .deleteFrom('voice_in_trunks')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('voice_in_trunk_group_id', 'is', null)
    .executeTakeFirst();
  if (free.numDeletedRows === 0n) refuse(invalid.base(IN_A_GROUP));
}
