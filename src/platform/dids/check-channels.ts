import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { type ErrorObject, invalid, messages, throwAny } from '../../jsonapi/errors.ts';
import type { DidChange, DidLinks } from './did-change.ts';
import type { OwnedDid } from './owned-did.ts';

/** Whether the pool and the group that a number is to draw on may serve it. */
export async function checkChannels(
  trx: Kysely<Schema>,
  did: OwnedDid,
  change: DidChange,
  links: DidLinks,
): Promise<void> {
  const problems: ErrorObject[] = [];
  if (links.capacity_pool) {
    const covered = await isCovered(trx, did.country_id, sql`p.id = ${links.capacity_pool.id}`);
    problems.push(...allowed('capacity_pool_id', did, covered));
  }
  if (links.shared_capacity_group) {
    const pool = sql`p.id = (select capacity_pool_id from shared_capacity_groups where id = ${links.shared_capacity_group.id})`;
    problems.push(...allowed('shared_capacity_group_id', did, await isCovered(trx, did.country_id, pool)));
  }
  const dedicated = change.dedicated_channels_count ?? did.dedicated_channels_count;
  const poolId = change.capacity_pool_id === undefined ? did.capacity_pool_id : change.capacity_pool_id;
  if (dedicated > 0 && poolId === null) {
    problems.push(invalid.pointed('/data/attributes/capacity_pool_id', messages.blank, 'capacity_pool_id'));
  }
  throwAny(problems);
}

function allowed(name: string, did: OwnedDid, covered: boolean): ErrorObject[] {
  const refused = (message: string) => [invalid.pointed(`/data/attributes/${name}`, message, name)];
  if (!covered) return refused('is not allowed for DID country');
  return did.allow_additional_channels ? [] : refused('is not allowed for DID');
}

async function isCovered(trx: Kysely<Schema>, countryId: string, pool: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ covered: boolean }>`
    select exists (select 1 from capacity_pools p join capacity_pool_countries c on c.capacity_pool_id = p.id
                   where ${pool} and c.country_id = ${countryId}) as covered
  `.execute(trx);
  return rows[0]?.covered ?? false;
}
