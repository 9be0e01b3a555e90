import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';

export const MOST_MEMBERS = 10;

/** Makes room for one more trunk in a group: the group's row is locked, so that two cannot take the last place. */
export async function joinGroup(trx: Kysely<Schema>, groupId: string, trunkId: string | null): Promise<void> {
  await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', groupId).forUpdate().execute();
  const members = await trx
    .selectFrom('voice_in_trunks')
    .select('id')
    .where('voice_in_trunk_group_id', '=', groupId)
    .execute();
  const others = members.filter(({ id }) => id !== trunkId);
  if (others.length >= MOST_MEMBERS) refuse(invalid.relationship('voice_in_trunk_group', messages.invalid));
}

/** The whole membership: those listed move in, the others leave. `false` when one of them is not the account's. */
export async function replaceMembers(
  trx: Kysely<Schema>,
  accountId: string,
  groupId: string,
  trunkIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(trunkIds)].sort();
  const known = ids.every(isUuid)
    ? await trx
        .selectFrom('voice_in_trunks')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', 'in', ids.length > 0 ? ids : [groupId])
        .orderBy('id')
        .forUpdate()
        .execute()
    : [];
  // The reference service still names the attribute of its oldest version here.
  if (known.length < ids.length) refuse(invalid.attribute('trunk_ids', 'are invalid'));
  let leaving = trx
    .updateTable('voice_in_trunks')
    .set({ voice_in_trunk_group_id: null })
    .where('voice_in_trunk_group_id', '=', groupId);
  if (ids.length > 0) leaving = leaving.where('id', 'not in', ids);
  await leaving.execute();
  if (ids.length === 0) return;
  await trx.updateTable('voice_in_trunks').set({ voice_in_trunk_group_id: groupId }).where('id', 'in', ids).execute();
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
