import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { MembershipChange } from '../../jsonapi/linkage.ts';
import { isUuid } from '../../uuid.ts';

export const MOST_MEMBERS = 10;

/** Makes room for one more trunk in a group: the group's row is locked, so that two cannot take the last place. */
export async function joinGroup(trx: Kysely<Schema>, groupId: string, trunkId: string | null): Promise<void> {
  await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', groupId).forUpdate().execute();
  const others = (await membersOf(trx, groupId)).filter((id) => id !== trunkId);
  if (others.length >= MOST_MEMBERS) refuse(invalid.relationship('voice_in_trunk_group', messages.invalid));
}

/** Moves trunks into a group and out of it; the caller holds the lock of the group's row. */
export async function changeMembers(
  trx: Kysely<Schema>,
  accountId: string,
  groupId: string,
  { joining, leaving }: MembershipChange,
): Promise<void> {
  const ids = [...new Set(joining)].sort();
  await requireTrunks(trx, accountId, ids);
  const left = leaving === 'others' ? await othersOf(trx, groupId, ids) : leaving;
  if (left.length > 0) {
    await trx
      .updateTable('voice_in_trunks')
      .set({ voice_in_trunk_group_id: null })
      .where('voice_in_trunk_group_id', '=', groupId)
      .where('id', 'in', left)
      .execute();
  }
  if (ids.length === 0) return;
  const others = await othersOf(trx, groupId, ids);
  if (others.length + ids.length > MOST_MEMBERS) refuse(invalid.relationship('voice_in_trunks', messages.invalid));
  await trx.updateTable('voice_in_trunks').set({ voice_in_trunk_group_id: groupId }).where('id', 'in', ids).execute();
}

/** Locks the trunks that join, or refuses when one of them is not the account's. */
async function requireTrunks(trx: Kysely<Schema>, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = ids.every(isUuid)
    ? await trx
        .selectFrom('voice_in_trunks')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .orderBy('id')
        .forUpdate()
        .execute()
    : [];
  // The reference service still names the attribute of its oldest version here.
  if (known.length < ids.length) refuse(invalid.attribute('trunk_ids', 'are invalid'));
}

async function othersOf(trx: Kysely<Schema>, groupId: string, ids: readonly string[]): Promise<string[]> {
  return (await membersOf(trx, groupId)).filter((id) => !ids.includes(id));
}

async function membersOf(trx: Kysely<Schema>, groupId: string): Promise<string[]> {
  const members = await trx
    .selectFrom('voice_in_trunks')
    .select('id')
    .where('voice_in_trunk_group_id', '=', groupId)
    .execute();
  return members.map(({ id }) => id);
}
