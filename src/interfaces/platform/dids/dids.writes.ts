/** Changes a number: description, routes, channels and lifecycle. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { ApiError, type ErrorObject, errors, messages, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { DuringUpdate } from '../../../engines/jsonapi/resource.ts';
import type { UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { changeLifecycle } from './change-lifecycle.ts';
import { methodOf } from './did-history.ts';
import { type didMembers, routeProblem } from './dids.members.ts';
import { type DidChange, findDid, type OwnedDid, writeDid } from './owned-did.ts';

type DidInput = UpdateInput<typeof didMembers>;
type DidLinks = DidInput['relationships'];

export async function updateDid(
  context: PlatformContext,
  id: string,
  input: DidInput,
  { answer }: DuringUpdate,
): Promise<void> {
  const { env } = context;
  await inTransaction(env.db, async (trx) => {
    const did = await findDid(trx, id);
    if (!did) throw new ApiError([errors.recordNotFound(id)]);
    const { terminated, billing_cycles_count, dedicated_channels_count: _channels, ...columns } = input.attributes;
    const channels = channelChange(did, input);
    await checkChannels(trx, did, channels, input.relationships);
    await writeDid(trx, id, {
      ...columns,
      ...routeChange(input.relationships),
      ...channels,
      ...detached(did, input.relationships),
    });
    // Last, because it may charge the account, whose row is the last lock of a transaction.
    const leaves = await changeLifecycle(
      trx,
      context,
      did,
      { terminated, billing_cycles_count },
      methodOf(callerOf(context).actor),
    );
    if (leaves) await answer(id, runIn(trx));
  });
}

/** A number is routed to a trunk or to a group; setting one clears the other. */
function routeChange(links: DidLinks): DidChange {
  const { voice_in_trunk: trunk, voice_in_trunk_group: group } = links;
  if (trunk && group) {
    refuse(routeProblem('voice_in_trunk_group_id', 'voice_in_trunk_group')('must be blank when voice_in_trunk is set'));
  }
  return {
    ...(trunk === undefined ? {} : { voice_in_trunk_id: trunk?.id ?? null }),
    ...(group === undefined ? {} : { voice_in_trunk_group_id: group?.id ?? null }),
    ...(trunk ? { voice_in_trunk_group_id: null } : {}),
    ...(group ? { voice_in_trunk_id: null } : {}),
  };
}

/** A number that leaves the pool returns its channels. */
function channelChange(did: OwnedDid, { attributes, relationships }: DidInput): DidChange {
  const { capacity_pool: pool, shared_capacity_group: group } = relationships;
  const left = pool === null && attributes.dedicated_channels_count === undefined && did.dedicated_channels_count > 0;
  const dedicated = left ? 0 : attributes.dedicated_channels_count;
  return {
    ...(pool === undefined ? {} : { capacity_pool_id: pool?.id ?? null }),
    ...(group === undefined ? {} : { shared_capacity_group_id: group?.id ?? null }),
    ...(dedicated === undefined ? {} : { dedicated_channels_count: dedicated }),
  };
}

/**
 * Both can only be detached here; an approval sets them. Without its verification a number that needs one takes no
 * calls, but its paid period continues.
 */
function detached(did: OwnedDid, { address_verification, emergency_calling_service }: DidLinks): DidChange {
  const isUnregistered = did.needs_registration && did.address_verification_id !== null;
  return {
    ...(address_verification === null ? { address_verification_id: null } : {}),
    ...(address_verification === null && isUnregistered ? { awaiting_registration: true } : {}),
    ...(emergency_calling_service === null
      ? { emergency_calling_service_id: null, emergency_verification_id: null, emergency_enabled: false }
      : {}),
  };
}

/** Rejects a pool or a shared group that the number may not use. */
async function checkChannels(trx: Kysely<Schema>, did: OwnedDid, change: DidChange, links: DidLinks): Promise<void> {
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
    problems.push(routeProblem('capacity_pool_id')(messages.blank));
  }
  throwAny(problems);
}

function allowed(name: string, did: OwnedDid, covered: boolean): ErrorObject[] {
  const problem = routeProblem(name);
  if (!covered) return [problem('is not allowed for DID country')];
  return did.allow_additional_channels ? [] : [problem('is not allowed for DID')];
}

async function isCovered(trx: Kysely<Schema>, countryId: string, pool: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ covered: boolean }>`
    select exists (select 1 from capacity_pools p join capacity_pool_countries c on c.capacity_pool_id = p.id
                   where ${pool} and c.country_id = ${countryId}) as covered
  `.execute(trx);
  return rows[0]?.covered ?? false;
}
