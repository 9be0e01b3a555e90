import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { DidMethod } from '../../db/tables/dids.ts';
import type { Environment } from '../../environment.ts';
import { recordHistory } from './history.ts';

interface Removed {
  account_id: string;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
  activated_at: Date | null;
}

/** Takes numbers (`where` speaks of `d`) from their account and puts them on offer again. */
export async function returnToStock(
  trx: Kysely<Schema>,
  env: Environment,
  { where, method, now }: { where: RawBuilder<unknown>; method: DidMethod; now: Date },
): Promise<void> {
  const { rows } = await sql<Removed>`
    delete from dids d where ${where}
    returning d.account_id, d.number, d.did_group_id, d.nanpa_prefix_id, d.activated_at
  `.execute(trx);
  if (rows.length === 0) return;
  await sql`
    insert into available_dids (number, did_group_id, nanpa_prefix_id)
    select * from unnest(${rows.map(({ number }) => number)}::text[], ${rows.map((row) => row.did_group_id)}::uuid[],
                         ${rows.map((row) => row.nanpa_prefix_id)}::uuid[])
  `.execute(trx);
  // Nobody has ever seen a number that was only set aside.
  const seen = rows.filter(({ activated_at }) => activated_at !== null);
  const happenings = seen.map(({ account_id, number }) => ({
    accountId: account_id,
    number,
    action: 'removed' as const,
    method,
  }));
  await recordHistory(trx, env, happenings, now);
}
