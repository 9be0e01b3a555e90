/** Creates, changes and deletes shared capacity groups, and assigns numbers to them. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import { membershipChange, type ToManyInput } from '../../../engines/jsonapi/linkage.ts';
import type { CreateInput, UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import type { sharedGroupMembers } from './shared-capacity-groups.members.ts';

const inUseText = 'The capacity group cannot be removed while active numbers are assigned to it';
const notApplicableText = 'cannot be applied to shared capacity group';

/** Assigns channels of a pool to a group of numbers. */
export async function createSharedGroup(
  context: PlatformContext,
  { attributes, relationships }: CreateInput<typeof sharedGroupMembers>,
): Promise<string> {
  const { accountId } = callerOf(context);
  const poolId = relationships.capacity_pool.id;
  return await inTransaction(context.db, async (trx) => {
    const { id } = await trx
      .insertInto('shared_capacity_groups')
      .values({
        account_id: accountId,
        capacity_pool_id: poolId,
        ...attributes,
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await assignMembers(trx, { groupId: id, accountId, poolId, members: relationships.dids ?? [] });
    return id;
  });
}

/** Changes a group and its members. */
export async function updateSharedGroup(
  context: PlatformContext,
  id: string,
  { attributes, relationships }: UpdateInput<typeof sharedGroupMembers>,
): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    const group = await trx
      .selectFrom('shared_capacity_groups')
      .select('capacity_pool_id')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const poolId = relationships.capacity_pool?.id ?? group.capacity_pool_id;
    if (relationships.dids) await assignMembers(trx, { groupId: id, accountId, poolId, members: relationships.dids });
    else if (poolId !== group.capacity_pool_id) await requireCoverage(trx, id, accountId, poolId);
    const change = { ...attributes, ...(relationships.capacity_pool ? { capacity_pool_id: poolId } : {}) };
    if (Object.keys(change).length === 0) return;
    await trx.updateTable('shared_capacity_groups').set(change).where('id', '=', id).execute();
  });
}

/** Returns the group's channels to its pool. Cancelled numbers do not prevent this. */
export async function deleteSharedGroup(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    // Locked first, so that no number joins between the check and the deletion.
    await trx.selectFrom('shared_capacity_groups').select('id').where('id', '=', id).forUpdate().execute();
    const members = trx.selectFrom('dids').where('shared_capacity_group_id', '=', id);
    const active = await members.select('id').where('terminated', '=', false).limit(1).executeTakeFirst();
    if (active) refuse(invalid.base(inUseText));
    await trx
      .updateTable('dids')
      .set({ shared_capacity_group_id: null })
      .where('shared_capacity_group_id', '=', id)
      .execute();
    await trx
      .deleteFrom('shared_capacity_groups')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .execute();
  });
}

/**
 * Adds numbers to a group and removes numbers from it; the caller must have locked the group's row. Each number that
 * joins must allow channels and be in a country that the pool covers.
 */
async function assignMembers(
  trx: Kysely<Schema>,
  { groupId, accountId, poolId, members }: { groupId: string; accountId: string; poolId: string; members: ToManyInput },
): Promise<void> {
  const { joining, leaving } = membershipChange(members);
  const suitable = new Set(await suitableNumbers(trx, accountId, poolId, joining));
  throwAny(
    joining.flatMap((id, index) => (suitable.has(id) ? [] : [invalid.member('dids', index, notApplicableText)])),
  );
  const leaves = leaving === 'others' ? sql`true` : sql`id = any(${leaving}::uuid[])`;
  await sql`
    update dids set shared_capacity_group_id = case when id = any(${joining}::uuid[]) then ${groupId}::uuid end
    where account_id = ${accountId}
      and (id = any(${joining}::uuid[]) or (shared_capacity_group_id = ${groupId} and ${leaves}))
  `.execute(trx);
}

/** Rejects a move to another pool if that pool does not cover all members of the group. */
async function requireCoverage(trx: Kysely<Schema>, groupId: string, accountId: string, poolId: string): Promise<void> {
  const members = await trx
    .selectFrom('dids')
    .select('id')
    .where('shared_capacity_group_id', '=', groupId)
    .orderBy('number')
    .execute();
  const ids = members.map(({ id }) => id);
  const suitable = new Set(await suitableNumbers(trx, accountId, poolId, ids));
  throwAny(ids.flatMap((id) => (suitable.has(id) ? [] : [invalid.member('dids', id, notApplicableText)])));
}

async function suitableNumbers(
  trx: Kysely<Schema>,
  accountId: string,
  poolId: string,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select d.id from dids d join did_groups g on g.id = d.did_group_id
    where d.id = any(${ids}::uuid[]) and d.account_id = ${accountId} and g.allow_additional_channels
      and exists (select 1 from capacity_pool_countries c
                  where c.capacity_pool_id = ${poolId} and c.country_id = g.country_id)
    order by d.id
    for no key update of d
  `.execute(trx);
  return rows.map(({ id }) => id);
}
