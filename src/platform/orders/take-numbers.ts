/**
 * Takes numbers from stock, in three ways, and reserves them for an order. The transaction that deletes a stock row
 * gets the number.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

export interface TakenNumber {
  number: string;
  nanpa_prefix_id: string | null;
}

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

/** Takes a chosen number. Numbers reserved by others are not available; a reservation of the account is used up. */
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

export interface Place {
  orderId: string;
  position: number;
  accountId: string;
  groupId: string;
  skuId: string;
  channelsIncludedCount: number;
  billingCyclesCount: number | null;
  now: Date;
}

/** Stores numbers reserved for a pending order: off the market, not yet visible to the buyer. */
export async function setAside(trx: Kysely<Schema>, place: Place, numbers: readonly TakenNumber[]): Promise<void> {
  if (numbers.length === 0) return;
  await sql`
    insert into dids (account_id, number, nanpa_prefix_id, did_group_id, sku_id, order_id, order_position,
                      channels_included_count, billing_cycles_count, created_at)
    select ${place.accountId}, n.number, n.prefix, ${place.groupId}, ${place.skuId}, ${place.orderId}, ${place.position},
           ${place.channelsIncludedCount}, ${place.billingCyclesCount}, ${place.now}
    from unnest(${numbers.map(({ number }) => number)}::text[],
                ${numbers.map(({ nanpa_prefix_id }) => nanpa_prefix_id)}::uuid[]) as n (number, prefix)
  `.execute(trx);
}
