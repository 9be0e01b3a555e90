/**
 * Counts the channels in use. The locks are held until the transaction ends, so two calls never take the same channel.
 */
import type { PoolClient } from 'pg';
import type { Environment } from '../../engines/environment.ts';

/** What to count; null for what has no limit. */
export interface Counted {
  did: string | null;
  capacityGroup: string | null;
  trunkGroup: string | null;
  trunks: readonly string[];
}

export interface InUse {
  number_total: number;
  included: number;
  dedicated: number;
  shared: number;
  metered: number;
  in_group: number;
  by_trunk: Record<string, number>;
}

export async function countChannels(client: PoolClient, counted: Counted): Promise<InUse> {
  const { rows } = await client.query<InUse>({
    name: 'voice_channels_in_use',
    text: 'select * from voice_channels_in_use($1, $2, $3, $4::uuid[])',
    values: [counted.did, counted.capacityGroup, counted.trunkGroup, counted.trunks],
  });
  const [inUse] = rows;
  if (inUse === undefined) throw new Error('voice_channels_in_use returns one row');
  return inUse;
}

/** Active calls on one trunk; returns 0 without counting if the trunk has no limit. */
export async function countOnTrunk(
  client: PoolClient,
  trunk: { id: string; capacityLimit: number | null },
): Promise<number> {
  if (trunk.capacityLimit === null) return 0;
  const inUse = await countChannels(client, { did: null, capacityGroup: null, trunkGroup: null, trunks: [trunk.id] });
  return inUse.by_trunk[trunk.id] ?? 0;
}

/** Whether one more call fits under the limit of a trunk or a group. */
export const fits = (inUse: number, limit: number | null): boolean => limit === null || inUse < limit;

/** Runs `work` in its own transaction, and commits unless `keep` returns false. */
export async function withLocks<T>(
  env: Environment,
  work: (client: PoolClient) => Promise<T>,
  keep: (result: T) => boolean = () => true,
): Promise<T> {
  const client = await env.pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query(keep(result) ? 'commit' : 'rollback');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
