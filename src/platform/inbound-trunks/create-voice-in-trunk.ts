import { callerOf, type PlatformContext } from '../context.ts';
import { newConfiguration } from './configuration-rules.ts';
import { joinGroup } from './group-members.ts';
import { type TrunkInput, trunkColumns } from './trunk-columns.ts';

export async function createVoiceInTrunk(context: PlatformContext, input: TrunkInput): Promise<string> {
  const { accountId } = callerOf(context);
  if (!input.attributes.configuration) throw new Error('the engine lets no trunk without a configuration pass');
  const configuration = await newConfiguration(context, input.attributes.configuration, null);
  const groupId = input.relationships.voice_in_trunk_group?.id ?? null;
  return context.env.db.transaction().execute(async (trx) => {
    if (groupId !== null) await joinGroup(trx, groupId, null);
    const { id } = await trx
      .insertInto('voice_in_trunks')
      .values({
        ...trunkColumns(input),
        name: String(input.attributes.name),
        account_id: accountId,
        configuration_type: configuration.type,
        configuration: JSON.stringify(configuration.attributes),
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}
