/** Stores what a supplier offers: a page of its groups, and what a complete reading did not find any more. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { SupplierGroup } from './supplier.ts';

type Trx = Kysely<Schema> | Transaction<Schema>;

/** A page that is stored again changes nothing. */
export async function storeGroups(
  trx: Trx,
  { supplierId, reading }: { supplierId: string; reading: string },
  groups: readonly SupplierGroup[],
): Promise<void> {
  const byId = new Map(groups.map((group) => [group.id, group]));
  if (byId.size === 0) return;
  const rows = [...byId.values()].map((group) => ({
    ...{ supplier_id: supplierId, their_id: group.id, reading, withdrawn: false },
    ...{ country: group.country.iso, region_iso: group.region?.iso ?? null, region_name: group.region?.name ?? null },
    ...{ city: group.city, did_group_type: group.type, prefix: group.prefix, area_name: group.areaName },
    ...{ features: [...group.features], is_metered: group.isMetered, stock: group.stock },
    ...{ allow_additional_channels: group.allowAdditionalChannels, service_restrictions: group.serviceRestrictions },
    ...{ available_dids_enabled: group.picksNumbers, needs_registration: group.needsRegistration },
    is_available: group.isAvailable,
  }));
  const changed = Object.keys(rows[0] ?? {}).filter((name) => name !== 'supplier_id' && name !== 'their_id');
  const stored = await trx
    .insertInto('supplier_groups')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .constraint('supplier_groups_once')
        .doUpdateSet(Object.fromEntries(changed.map((name) => [name, sql.ref(`excluded.${name}`)]))),
    )
    .returning(['id', 'their_id'])
    .execute();
  const offers = stored.flatMap(({ id, their_id: theirId }) => {
    const byChannels = new Map((byId.get(theirId)?.offers ?? []).map((offer) => [offer.channels, offer]));
    return [...byChannels.values()].map((offer) => ({
      ...{ supplier_group_id: id, channels_included_count: offer.channels, their_id: offer.id },
      ...{ setup_cost: offer.setupPrice, monthly_cost: offer.monthlyPrice },
    }));
  });
  const ids = stored.map(({ id }) => id);
  await trx.deleteFrom('supplier_offers').where('supplier_group_id', 'in', ids).execute();
  if (offers.length > 0) await trx.insertInto('supplier_offers').values(offers).execute();
}

/**
 * After the last page: what was not found is withdrawn and no longer sold, and groups of ours are found by what they
 * are, never by ids.
 */
export async function finishReading(trx: Trx, supplierId: string, reading: string): Promise<void> {
  await sql`
    delete from supplier_groups where supplier_id = ${supplierId} and reading <> ${reading} and did_group_id is null
  `.execute(trx);
  await sql`
    update supplier_groups set withdrawn = true, on_sale = false
    where supplier_id = ${supplierId} and reading <> ${reading} and not withdrawn`.execute(trx);
  await sql`
    update supplier_groups s set did_group_id = (
      select g.id from did_groups g
      join countries c on c.id = g.country_id
      join did_group_types y on y.id = g.did_group_type_id
      left join regions r on r.id = g.region_id
      left join cities t on t.id = g.city_id
      where c.iso = s.country and y.name = s.did_group_type and g.prefix = s.prefix and g.area_name = s.area_name
        and r.iso is not distinct from s.region_iso and (s.city is null or t.name is null or t.name = s.city)
      order by g.id limit 1)
    where s.supplier_id = ${supplierId} and s.did_group_id is null`.execute(trx);
}
