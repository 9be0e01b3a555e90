/** Reads the other records of a catalogue file: how each `type` is checked and turned into rows. */
import {
  type Field,
  FieldError,
  flag,
  listOf,
  lowerCaseUuid,
  nullable,
  object,
  text,
  withDefault,
} from '../../base/fields.ts';
import { type CatalogueIndex, type CountryEntry, type GroupEntry, type PlaceEntry, skuKey } from './catalogue-index.ts';
import { nameBasedId } from './ids.ts';
import { type CatalogueTable, count, digits, price } from './rows.ts';

export type Row = Record<string, unknown> & { id?: string };

/** Reads one member of the record; members that are never read are rejected afterwards. */
export type Take = <T>(member: string, field: Field<T>) => T;

export interface TableRow {
  table: CatalogueTable;
  row: Row;
}

export const recordTypes: Readonly<Record<string, (take: Take, index: CatalogueIndex) => TableRow[]>> = {
  countries: (take, index) => {
    const iso = take('iso', text(/^[A-Z]{2}$/, 'two capital letters'));
    const id = idOr(take, () => index.countries.byKey(iso)?.id ?? nameBasedId('countries', iso));
    const row = {
      id,
      iso,
      name: take('name', text()),
      prefix: take('prefix', nullable(text(/^[1-9]\d{0,3}$/, 'a dialling code'))),
    };
    const known = index.countries.get(id);
    if (known && known.prefix !== row.prefix && index.hasStockIn(id)) {
      throw new FieldError(`prefix: cannot change from ${known.prefix} while numbers of ${iso} are in stock`);
    }
    index.countries.add(row);
    return [{ table: 'countries', row }];
  },
  regions: (take, index) => {
    const country = takeCountry(take, index);
    const iso = take('iso', nullable(text(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'an ISO 3166-2 code')));
    const name = take('name', text());
    const id = idOr(take, () => nameBasedId('regions', iso ?? `${country.iso} ${name}`));
    const row = { id, country_id: country.id, name, iso };
    index.regions.add(row);
    return [{ table: 'regions', row }];
  },
  areas: (take, index) => {
    const country = takeCountry(take, index);
    const name = take('name', text());
    const row = { id: idOr(take, () => nameBasedId('areas', country.iso, name)), country_id: country.id, name };
    index.areas.add(row);
    return [{ table: 'areas', row }];
  },
  cities: (take, index) => {
    const country = takeCountry(take, index);
    const region = takeWithin(take, 'region', index.regions, country);
    const area = takeWithin(take, 'area', index.areas, country);
    const name = take('name', text());
    const id = idOr(take, () => nameBasedId('cities', country.iso, region?.iso ?? region?.id ?? null, name));
    const row = { id, country_id: country.id, region_id: region?.id ?? null, area_id: area?.id ?? null, name };
    index.cities.add(row);
    return [{ table: 'cities', row }];
  },
  pops: (take) => {
    const name = take('name', text());
    return [{ table: 'pops', row: { id: idOr(take, () => nameBasedId('pops', name)), name } }];
  },
  did_group_types: (take, index) => {
    const name = take('name', text());
    const row = { id: idOr(take, () => index.types.byKey(name)?.id ?? nameBasedId('did_group_types', name)), name };
    index.types.add(row);
    return [{ table: 'did_group_types', row }];
  },
  did_groups: readGroup,
  stock_keeping_units: (take, index) => {
    const group = take('did_group', (value) => index.groups.find(value));
    const channels = take('channels_included_count', count);
    const row = {
      id: idOr(take, () => {
        const known = index.skus.byKey(skuKey(group.id, channels));
        return known?.id ?? nameBasedId('stock_keeping_units', group.id, String(channels));
      }),
      did_group_id: group.id,
      setup_price: take('setup_price', price),
      monthly_price: take('monthly_price', price),
      channels_included_count: channels,
    };
    index.skus.add(row);
    return [{ table: 'stock_keeping_units', row }];
  },
  nanpa_prefixes: (take, index) => {
    const country = takeCountry(take, index);
    const region = takeWithin(take, 'region', index.regions, country);
    const npa = take('npa', text(/^[2-9]\d\d$/, 'an area code'));
    const nxx = take('nxx', text(/^(?!\d11$)[2-9]\d{2}$/, 'an exchange code'));
    const id = idOr(take, () => index.nanpa.byKey(`${npa}${nxx}`)?.id ?? nameBasedId('nanpa_prefixes', npa, nxx));
    const groups = take(
      'did_groups',
      withDefault(
        listOf((value) => inCountry(index.groups.find(value), country.id)),
        [],
      ),
    );
    index.nanpa.add({ id, npa, nxx });
    return [
      { table: 'nanpa_prefixes', row: { id, country_id: country.id, region_id: region?.id ?? null, npa, nxx } },
      ...groups.map(({ id: did_group_id }): TableRow => {
        return { table: 'did_group_nanpa_prefixes', row: { did_group_id, nanpa_prefix_id: id } };
      }),
    ];
  },
  capacity_pools: (take, index) => {
    const name = take('name', text());
    const id = idOr(take, () => nameBasedId('capacity_pools', name));
    const row = {
      id,
      name,
      minimum_limit: take('minimum_limit', withDefault(count, 0)),
      minimum_qty_per_order: take('minimum_qty_per_order', withDefault(count, 1)),
      setup_price: take('setup_price', price),
      monthly_price: take('monthly_price', price),
      metered_rate: take('metered_rate', price),
    };
    const countries = take(
      'countries',
      listOf((value) => index.countries.find(value)),
    );
    const pricings = take('qty_based_pricings', withDefault(listOf(qtyBasedPricing), []));
    return [
      { table: 'capacity_pool_templates', row },
      ...countries.map((country): TableRow => {
        return { table: 'capacity_pool_template_countries', row: { template_id: id, country_id: country.id } };
      }),
      ...pricings.map((pricing): TableRow => {
        const own = { id: nameBasedId('qty_based_pricings', name, String(pricing.qty)), template_id: id };
        return { table: 'capacity_pool_template_pricings', row: { ...own, ...pricing } };
      }),
    ];
  },
};

/** The prices per channel from this number of channels on. */
const qtyBasedPricing = object({ qty: count, setup_price: price, monthly_price: price });

const features = ['voice_in', 'voice_out', 't38', 'sms_in', 'p2p', 'a2p', 'emergency', 'cnam_out'];

function readGroup(take: Take, index: CatalogueIndex): TableRow[] {
  const country = takeCountry(take, index);
  const region = takeWithin(take, 'region', index.regions, country);
  const city = takeWithin(take, 'city', index.cities, country);
  if (city?.region_id && city.region_id !== region?.id) throw new FieldError('city: is not in the region of the group');
  const type = take('did_group_type', (value) => index.types.find(value));
  const prefix = take('prefix', digits);
  const area_name = take('area_name', text());
  const id = idOr(take, () =>
    nameBasedId('did_groups', country.iso, type.name, prefix, region?.iso ?? null, area_name),
  );
  const row = {
    id,
    country_id: country.id,
    region_id: region?.id ?? null,
    city_id: city?.id ?? null,
    did_group_type_id: type.id,
    prefix,
    area_name,
    features: take('features', listOf(text(new RegExp(`^(${features.join('|')})$`), `one of ${features.join(', ')}`))),
    is_metered: take('is_metered', withDefault(flag, false)),
    allow_additional_channels: take('allow_additional_channels', withDefault(flag, true)),
    service_restrictions: take('service_restrictions', nullable(text())),
    available_dids_enabled: take('available_dids_enabled', withDefault(flag, true)),
    needs_registration: take('needs_registration', withDefault(flag, false)),
    back_orderable: take('back_orderable', withDefault(flag, true)),
  };
  const known = index.groups.get(id);
  if (known?.has_stock) refuseOtherNumbers(known, row);
  const has_stock = known?.has_stock ?? false;
  index.addGroup({
    id,
    country_id: country.id,
    region_id: row.region_id,
    type: type.name,
    prefix,
    area_name,
    has_stock,
  });
  return [{ table: 'did_groups', row }];
}

/** The prefix of a group with numbers in stock cannot change: the numbers would no longer match the group. */
function refuseOtherNumbers(known: GroupEntry, changed: { country_id: string; prefix: string }): void {
  if (known.country_id !== changed.country_id) {
    throw new FieldError('country: cannot change while the group has numbers in stock');
  }
  if (known.prefix !== changed.prefix) {
    throw new FieldError(
      `prefix: cannot change from "${known.prefix}" to "${changed.prefix}" while the group has numbers in stock`,
    );
  }
}

function idOr(take: Take, otherwise: () => string): string {
  return take('id', nullable(lowerCaseUuid)) ?? otherwise();
}

const takeCountry = (take: Take, index: CatalogueIndex) => take('country', (value) => index.countries.find(value));

/** A place that the record may name; it must be in the country of the record. */
function takeWithin<T extends PlaceEntry>(
  take: Take,
  member: string,
  places: { find(reference: unknown): T },
  country: CountryEntry,
): T | null {
  return take(
    member,
    nullable((value) => inCountry(places.find(value), country.id)),
  );
}

function inCountry<T extends PlaceEntry>(entry: T, countryId: string): T {
  if (entry.country_id !== countryId) throw new FieldError('is in another country');
  return entry;
}
