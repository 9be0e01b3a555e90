import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, throwAny } from '../../jsonapi/errors.ts';
import { membershipChange, type ToManyInput } from '../../jsonapi/linkage.ts';

const REFUSAL = 'cannot be applied to shared capacity group';

/**
 * Puts numbers into a group and takes numbers out of it; the caller holds the lock of the group's row. Each that joins must
 * allow channels and lie in the pool's coverage.
 */
export async function assignMembers(
  trx: Kysely<Schema>,
  { groupId, accountId, poolId, members }: { groupId: string; accountId: string; poolId: string; members: ToManyInput },
): Promise<void> {
  const { joining, leaving } = membershipChange(members);
  const suitable = new Set(await suitableNumbers(trx, accountId, poolId, joining));
  throwAny(joining.flatMap((id, index) => (suitable.has(id) ? [] : [invalid.member('dids', index, REFUSAL)])));
  const leaves = leaving === 'others' ? sql`true` : sql`id = any(${leaving}::uuid[])`;
  await sql`
    update dids set shared_capacity_group_id = case when id = any(${joining}::uuid[]) then ${groupId}::uuid end
    where account_id = ${accountId}
      and (id = any(${joining}::uuid[]) or (shared_capacity_group_id = ${groupId} and ${leaves}))
  `.execute(trx);
}

/** Whether the numbers that a group has may stay when it moves to another pool. */
export async function requireCoverage(
  trx: Kysely<Schema>,
  groupId: string,
  accountId: string,
  poolId: string,
): Promise<void> {
  const members = await trx
    .selectFrom('dids')
    .select('id')
    .where('shared_capacity_group_id', '=', groupId)
    .orderBy('number')
    .execute();
  const ids = members.map(({ id }) => id);
  const suitable = new Set(await suitableNumbers(trx, accountId, poolId, ids));
  throwAny(ids.flatMap((id) => (suitable.has(id) ? [] : [invalid.member('dids', id, REFUSAL)])));
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
