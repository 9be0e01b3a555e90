/** Creates, updates and deletes inbound trunks. */

import type { Updateable } from 'kysely';
import { endCallsOfTrunks } from '../../../business/voice/end-elsewhere.ts';
import type { VoiceInTrunksTable } from '../../../engines/db/tables/voice.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, refuse } from '../../../engines/jsonapi/errors.ts';
import type { TypedObject } from '../../../engines/jsonapi/parse-object.ts';
import type { DuringUpdate } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput, UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { columnValues } from '../../../engines/jsonapi/store.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { newConfiguration } from './configuration-rules.ts';
import { joinGroup } from './voice-in-trunk-groups.writes.ts';
import type { voiceInTrunkMembers } from './voice-in-trunks.members.ts';

type NewTrunk = CreateInput<typeof voiceInTrunkMembers>;
type TrunkChange = UpdateInput<typeof voiceInTrunkMembers>;

/** Returns the columns to store, without the configuration. A blank `cli_format` is stored as `e164`. */
function trunkColumns(input: NewTrunk | TrunkChange): Updateable<VoiceInTrunksTable> {
  const { configuration: _configuration, ...attributes } = input.attributes;
  const columns = columnValues({ attributes, relationships: { ...input.relationships } });
  return columns.cli_format === null ? { ...columns, cli_format: 'e164' } : columns;
}

export async function createVoiceInTrunk(context: PlatformContext, input: NewTrunk): Promise<string> {
  const { accountId } = callerOf(context);
  const configuration = await newConfiguration(context, input.attributes.configuration, null);
  const groupId = input.relationships.voice_in_trunk_group?.id ?? null;
  return inTransaction(context.db, async (trx) => {
    if (groupId !== null) await joinGroup(trx, groupId, null);
    const { id } = await trx
      .insertInto('voice_in_trunks')
      .values({
        ...trunkColumns(input),
        name: input.attributes.name,
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

/** Locks the row while the configuration is merged, so that two concurrent updates are both kept. */
export async function updateVoiceInTrunk(
  context: PlatformContext,
  id: string,
  input: TrunkChange,
  { checkLocked }: DuringUpdate,
): Promise<void> {
  const { accountId } = callerOf(context);
  const groupId = input.relationships.voice_in_trunk_group?.id ?? null;
  await inTransaction(context.env.db, async (trx) => {
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

const belongsToGroup = 'The trunk cannot be removed while it belongs to a trunk group';

/**
 * Deletes the trunk and ends its calls at once. Rejected while the trunk belongs to a group, or while a number is
 * routed to it (a foreign key checks this).
 */
export async function deleteVoiceInTrunk(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  const free = await context.env.db
    .deleteFrom('voice_in_trunks')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('voice_in_trunk_group_id', 'is', null)
    .executeTakeFirst();
  if (free.numDeletedRows === 0n) refuse(invalid.base(belongsToGroup));
  await endCallsOfTrunks(context.env, [id]);
}
