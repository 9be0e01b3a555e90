/** Creates, updates and deletes inbound trunk groups, and moves trunks into and out of them. */

import type { Kysely } from 'kysely';
import { isUuid } from '../../../base/uuid.ts';
import { endCallsOfTrunks } from '../../../business/voice/end-elsewhere.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import { type MembershipChange, membershipChange } from '../../../engines/jsonapi/linkage.ts';
import type { CreateInput, UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { mostMembers, type trunkGroupMembers } from './voice-in-trunk-groups.members.ts';

type NewGroup = CreateInput<typeof trunkGroupMembers>;
type GroupChange = UpdateInput<typeof trunkGroupMembers>;

export async function createGroup(context: PlatformContext, input: NewGroup): Promise<string> {
  const { accountId } = callerOf(context);
  return inTransaction(context.db, async (trx) => {
    const { id } = await trx
      .insertInto('voice_in_trunk_groups')
      .values({ ...input.attributes, account_id: accountId, created_at: context.now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const members = input.relationships.voice_in_trunks;
    if (members) await changeMembers(trx, accountId, id, membershipChange(members));
    return id;
  });
}

export async function updateGroup(context: PlatformContext, id: string, input: GroupChange): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', id).forUpdate().execute();
    if (Object.keys(input.attributes).length > 0) {
      await trx.updateTable('voice_in_trunk_groups').set(input.attributes).where('id', '=', id).execute();
    }
    const members = input.relationships.voice_in_trunks;
    if (members) await changeMembers(trx, accountId, id, membershipChange(members));
  });
}

/**
 * Deletes the group with its trunks and ends their calls at once; rejected while a number is routed to the group or to
 * one of the trunks.
 */
export async function deleteGroup(context: PlatformContext, id: string): Promise<void> {
  const trunks = await inTransaction(context.env.db, async (trx) => {
    await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', id).forUpdate().execute();
    const members = trx.deleteFrom('voice_in_trunks').where('voice_in_trunk_group_id', '=', id);
    const deleted = await members.returning('id').execute();
    await trx.deleteFrom('voice_in_trunk_groups').where('id', '=', id).execute();
    return deleted.map((trunk) => trunk.id);
  });
  await endCallsOfTrunks(context.env, trunks);
}

/**
 * Checks that a group has room for one more trunk. Locks the group's row, so that two trunks cannot take the last
 * place.
 */
export async function joinGroup(trx: Kysely<Schema>, groupId: string, trunkId: string | null): Promise<void> {
  await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', groupId).forUpdate().execute();
  const others = (await membersOf(trx, groupId)).filter((id) => id !== trunkId);
  if (others.length >= mostMembers) refuse(invalid.relationship('voice_in_trunk_group', messages.invalid));
}

/** Moves trunks into a group and out of it; the caller holds the lock of the group's row. */
async function changeMembers(
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
  if (others.length + ids.length > mostMembers) refuse(invalid.relationship('voice_in_trunks', messages.invalid));
  await trx.updateTable('voice_in_trunks').set({ voice_in_trunk_group_id: groupId }).where('id', 'in', ids).execute();
}

/** Locks the trunks that join; rejects the request if one is not the account's. */
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
