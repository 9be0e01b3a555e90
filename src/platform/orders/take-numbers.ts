import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

export interface TakenNumber {
  number: string;
  nanpa_prefix_id: string | null;
}

/** The three ways a number leaves the stock. In each the deletion of its row decides who gets it. */

export async function takeFromStock(
  trx: Kysely<Schema>,
  wanted: { groupId: string; nanpaPrefixId: string | null; qty: number; declined?: string[]; now: Date },
): Promise<TakenNumber[]> {
  const { groupId, nanpaPrefixId, qty, declined = [], now } = wanted;
  const { rows } = await sql<TakenNumber>`
    select number, nanpa_prefix_id
    from take_stock(${groupId}::uuid, ${nanpaPrefixId}::uuid, ${qty}::int, ${now}, ${declined}::text[])
  `.execute(trx);
  return rows;
}

interface Particular {
  accountId: string;
  groupId: string;
  nanpaPrefixId: string | null;
  now: Date;
}

/** A number somebody else holds is not available; a hold of one's own is used up. */
export async function takeAvailable(trx: Kysely<Schema>, id: string, wanted: Particular): Promise<TakenNumber[]> {
  const { rows } = await sql<TakenNumber>`
    delete from available_dids a using did_groups g
    where a.id = ${id} and a.did_group_id = ${wanted.groupId}
      and g.id = a.did_group_id and g.available_dids_enabled and ${underPrefix(wanted)}
      and not exists (select 1 from did_reservations r where r.available_did_id = a.id
                      and r.expires_at > ${wanted.now} and r.account_id <> ${wanted.accountId})
    returning a.number, a.nanpa_prefix_id
  `.execute(trx);
  return rows;
}

export async function takeReserved(
  trx: Kysely<Schema>,
  reservationId: string,
  wanted: Particular,
): Promise<TakenNumber[]> {
  const { rows } = await sql<TakenNumber>`
    delete from available_dids a using did_reservations r
    where r.id = ${reservationId} and r.account_id = ${wanted.accountId} and r.expires_at > ${wanted.now}
      and a.id = r.available_did_id and a.did_group_id = ${wanted.groupId} and ${underPrefix(wanted)}
    returning a.number, a.nanpa_prefix_id
  `.execute(trx);
  return rows;
}

const underPrefix = ({ nanpaPrefixId }: Particular) =>
  sql`(${nanpaPrefixId}::uuid is null or a.nanpa_prefix_id = ${nanpaPrefixId}::uuid)`;
