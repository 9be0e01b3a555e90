import type { TypedObject } from '../../jsonapi/parse-object.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { mergedConfiguration } from './configuration-rules.ts';
import { joinGroup } from './group-members.ts';
import { type TrunkInput, trunkColumns } from './trunk-columns.ts';

/** The row is locked while its configuration is merged, so that two merges cannot undo each other. */
export async function updateVoiceInTrunk(context: PlatformContext, id: string, input: TrunkInput): Promise<void> {
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
    const sent: TypedObject | undefined = input.attributes.configuration;
    const configuration = sent ? await mergedConfiguration(context, stored, sent) : null;
    const changes = {
      ...trunkColumns(input),
      ...(configuration ? { configuration: JSON.stringify(configuration.attributes) } : {}),
    };
    if (Object.keys(changes).length === 0) return;
    await trx.updateTable('voice_in_trunks').set(changes).where('id', '=', id).execute();
  });
}
