import { runIn } from '../../db/transaction.ts';
import type { TypedObject } from '../../jsonapi/parse-object.ts';
import type { DuringUpdate } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { newConfiguration } from './configuration-rules.ts';
import { joinGroup } from './group-members.ts';
import { type TrunkInput, trunkColumns } from './trunk-columns.ts';

/** The row is locked while its configuration is merged, so that two merges cannot undo each other. */
export async function updateVoiceInTrunk(
  context: PlatformContext,
  id: string,
  input: TrunkInput,
  { checkLocked }: DuringUpdate,
): Promise<void> {
  const { accountId } = callerOf(context);
  const groupId = input.relationships.voice_in_trunk_group?.id ?? null;
  await context.env.db.transaction().execute(async (trx) => {
    if (groupId !== null) await joinGroup(trx, groupId, id);
    const stored = await trx
      .selectFrom('voice_in_trunks')
      .select(['configuration_type as type', 'configuration as attributes'])
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await checkLocked?.(runIn(trx));
    const sent: TypedObject | undefined = input.attributes.configuration;
    const configuration = sent ? await newConfiguration(context, sent, stored) : null;
    const changes = {
      ...trunkColumns(input),
      ...(configuration ? { configuration: JSON.stringify(configuration.attributes) } : {}),
    };
    if (Object.keys(changes).length === 0) return;
    await trx.updateTable('voice_in_trunks').set(changes).where('id', '=', id).execute();
  });
}
