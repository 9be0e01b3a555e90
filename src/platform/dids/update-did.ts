import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { ApiError, errors, invalid, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow } from '../../jsonapi/resource.ts';
import { methodOf, type PlatformContext } from '../context.ts';
import { changeLife } from './change-life.ts';
import { checkChannels } from './check-channels.ts';
import type { DidChange, DidInput, DidLinks } from './did-change.ts';
import { findDid, type OwnedDid } from './owned-did.ts';

/** Changes a number: its words, its routes, its channels, and whether it lives on. */
export async function updateDid(
  context: PlatformContext,
  id: string,
  input: DidInput,
  answer: AnswerNow,
): Promise<void> {
  const { env } = context;
  await inTransaction(env.db, async (trx) => {
    const did = await findDid(trx, id);
    if (!did) throw new ApiError([errors.recordNotFound(id)]);
    const { description, capacity_limit } = input.attributes;
    const channels = channelChange(did, input);
    await checkChannels(trx, did, channels, input.relationships);
    await write(trx, id, {
      ...(description === undefined ? {} : { description }),
      ...(capacity_limit === undefined ? {} : { capacity_limit }),
      ...routeChange(input.relationships),
      ...channels,
      ...detached(did, input.relationships),
    });
    // Last, since it may take money: the account's row is the last lock of all.
    const leaves = await changeLife(trx, context, did, input.attributes, methodOf(context));
    if (leaves) await answer(id, runIn(trx));
  });
}

/** A number is routed to a trunk or to a group; setting one clears the other. */
function routeChange(links: DidLinks): DidChange {
  const { voice_in_trunk: trunk, voice_in_trunk_group: group } = links;
  if (trunk && group) {
    const pointer = '/data/attributes/voice_in_trunk_group_id';
    refuse(invalid.pointed(pointer, 'must be blank when voice_in_trunk is set', 'voice_in_trunk_group'));
  }
  return {
    ...(trunk === undefined ? {} : { voice_in_trunk_id: trunk?.id ?? null }),
    ...(group === undefined ? {} : { voice_in_trunk_group_id: group?.id ?? null }),
    ...(trunk ? { voice_in_trunk_group_id: null } : {}),
    ...(group ? { voice_in_trunk_id: null } : {}),
  };
}

/** Leaving the pool gives its channels back. */
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
 * Both can only be detached here; an approval sets them. Without its verification a number that needs one takes no calls;
 * its paid time goes on.
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

async function write(trx: Kysely<Schema>, id: string, change: DidChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await trx.updateTable('dids').set(change).where('id', '=', id).execute();
}
