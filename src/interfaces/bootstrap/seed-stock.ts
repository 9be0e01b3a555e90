/** Finds the number group that a seed describes, or makes it; puts numbers of it on sale. */
import { type Kysely, sql } from 'kysely';
import { getCountryCallingCode, getExampleNumber, isSupportedCountry } from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import { FieldError } from '../../base/fields.ts';
import { CatalogueIndex, skuKey } from '../../business/catalogue/catalogue-index.ts';
import { freeBlocks } from '../../business/catalogue/generate.ts';
import { countryIdOf, groupTypeIdOf, nameBasedId } from '../../business/catalogue/ids.ts';
import { RowWriter } from '../../business/catalogue/import.ts';
import { NumberReader } from '../../business/catalogue/number-records.ts';
import { recordTypes, type TableRow, type Take } from '../../business/catalogue/records.ts';
import { loadRequirements } from '../../business/catalogue/requirements/load-requirements.ts';
import { dialPrefix, isNorthAmerican } from '../../business/catalogue/rows.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { NumberSeed, StockSeed } from './seeds.ts';

/** A number's group, and the offer that it is sold by. */
interface SeededGroup {
  id: string;
  skuId: string;
  channels: number;
  needsRegistration: boolean;
  /** The first digits of its numbers. */
  start: string;
  countryPrefix: string;
  prefix: string;
}

export class SeedStock {
  readonly #db: Kysely<Schema>;
  readonly #index: CatalogueIndex;
  readonly #numbers: NumberReader;
  readonly #made: () => void;

  private constructor(db: Kysely<Schema>, index: CatalogueIndex, made: () => void) {
    this.#made = made;
    this.#db = db;
    this.#index = index;
    this.#numbers = new NumberReader(index);
  }

  /** For numbers of these countries. `made` is called for each number and group that did not exist. */
  static async open(db: Kysely<Schema>, countries: readonly string[], made: () => void): Promise<SeedStock> {
    return new SeedStock(db, await CatalogueIndex.read(db, countries), made);
  }

  /** Returns numbers of this kind that are for sale, at least as many as the seed says. */
  async stock(seed: StockSeed): Promise<{ group: SeededGroup; numbers: string[] }> {
    const group = await this.#group(seed);
    if (seed.number !== null) return { group, numbers: [await this.#add(group, seed.number)] };
    const numbers = await this.#forSale(group, seed.count);
    while (numbers.length < seed.count) {
      numbers.push(await this.#add(group, (await this.#freeNumber(group)) ?? noneIsFree()));
    }
    return { group, numbers };
  }

  async #forSale(group: SeededGroup, count: number): Promise<string[]> {
    const available = await this.#db
      .selectFrom('available_dids')
      .select('number')
      .where('did_group_id', '=', group.id)
      .orderBy('number')
      .limit(count)
      .execute();
    return available.map(({ number }) => number);
  }

  /** Returns a number of this kind that nobody owns, and takes it off the market. */
  async take(seed: NumberSeed): Promise<{ group: SeededGroup; number: string; nanpaPrefixId: string | null }> {
    const group = await this.#group(seed);
    const wanted = seed.number ?? (await this.#freeNumber(group)) ?? (await this.#forSale(group, 1))[0];
    const number = await this.#add(group, wanted ?? noneIsFree());
    const { nanpa_prefix_id } = await this.#db
      .deleteFrom('available_dids')
      .where('number', '=', number)
      .returning('nanpa_prefix_id')
      .executeTakeFirstOrThrow();
    return { group, number, nanpaPrefixId: nanpa_prefix_id };
  }

  /** Puts a number on sale that is not yet. */
  async #add(group: SeededGroup, number: string): Promise<string> {
    const owned = await this.#db.selectFrom('dids').select('id').where('number', '=', number).executeTakeFirst();
    if (owned !== undefined) throw new FieldError('is owned already', { path: 'number' });
    const { record, rows } = this.#checked(number, group);
    await this.#write(rows);
    const { did_group_id, nanpa_prefix_id } = record;
    const added = await this.#db
      .insertInto('available_dids')
      .values({ id: nameBasedId('available_dids', number), number, did_group_id, nanpa_prefix_id })
      .onConflict((conflict) => conflict.column('number').doNothing())
      .returning('id')
      .execute();
    if (added.length > 0) this.#made();
    return number;
  }

  #checked(number: string, group: SeededGroup) {
    try {
      return this.#numbers.read(takeFrom({ number, did_group_id: group.id }));
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new FieldError(error.message.replace(/^number: \d+ /, ''), { path: 'number' });
    }
  }

  /** A number that is neither owned nor for sale; null if there is none: a large catalogue may sell all of a group. */
  async #freeNumber(group: SeededGroup): Promise<string | null> {
    const exchanges = await this.#db
      .selectFrom('did_group_nanpa_prefixes as l')
      .innerJoin('nanpa_prefixes as n', 'n.id', 'l.nanpa_prefix_id')
      .select(['n.id', 'n.npa', 'n.nxx'])
      .where('l.did_group_id', '=', group.id)
      .orderBy('n.npa')
      .orderBy('n.nxx')
      .execute();
    const first = { id: '', npa: group.prefix, nxx: '234' };
    const blocks = freeBlocks({
      id: group.id,
      country_prefix: group.countryPrefix,
      prefix: group.prefix,
      number_length: null,
      nanpa_prefixes: exchanges.length > 0 ? exchanges : [first],
    });
    for (const { base } of blocks) {
      const { rows } = await sql<{ number: string }>`
        select ${base} || lpad(n::text, 3, '0') as number from generate_series(0, 999) as n
        where not exists (select from dids d where d.number = ${base} || lpad(n::text, 3, '0'))
          and not exists (select from available_dids a where a.number = ${base} || lpad(n::text, 3, '0'))
        order by 1 limit 1`.execute(this.#db);
      if (rows[0] !== undefined) return rows[0].number;
    }
    return null;
  }

  async #group(seed: NumberSeed): Promise<SeededGroup> {
    await this.#ensureCountry(seed);
    const found = await this.#findGroup(seed);
    return found ?? this.#makeGroup(seed);
  }

  async #findGroup(seed: NumberSeed): Promise<SeededGroup | null> {
    const { rows } = await sql<{
      id: string;
      prefix: string;
      needs_registration: boolean;
      country_prefix: string;
      sku_id: string;
      channels: number;
    }>`
      select g.id, g.prefix, g.needs_registration, c.prefix as country_prefix, s.id as sku_id,
             s.channels_included_count as channels
      from did_groups g join countries c on c.id = g.country_id join did_group_types t on t.id = g.did_group_type_id
        join stock_keeping_units s on s.did_group_id = g.id
      where c.iso = ${seed.country} and t.name = ${seed.type} and c.prefix is not null
        and (${seed.prefix}::text is null or g.prefix = ${seed.prefix})
        and (${seed.area}::text is null or g.area_name = ${seed.area})
        and (${seed.needs_registration}::boolean is null or g.needs_registration = ${seed.needs_registration})
        and (${seed.features}::text[] is null or g.features @> ${seed.features})
        and (${seed.number}::text is null
             or starts_with(${seed.number}, (case when c.prefix like '1%' then '1' else c.prefix end) || g.prefix))
      order by length(g.prefix) desc, g.area_name, g.id, s.channels_included_count = ${seed.channels} desc,
               s.channels_included_count
      limit 1`.execute(this.#db);
    const [row] = rows;
    if (row === undefined) return null;
    return {
      id: row.id,
      skuId: row.sku_id,
      channels: row.channels,
      needsRegistration: row.needs_registration,
      start: dialPrefix(row.country_prefix, row.prefix),
      countryPrefix: row.country_prefix,
      prefix: row.prefix,
    };
  }

  async #makeGroup(seed: NumberSeed): Promise<SeededGroup> {
    const needsRegistration = seed.needs_registration ?? false;
    const prefix = seed.prefix ?? this.#usualPrefix(seed);
    const area_name = seed.area ?? (needsRegistration ? `${seed.type}, with registration` : seed.type);
    if (this.#index.groups.get(nameBasedId('did_groups', seed.country, seed.type, prefix, null, area_name))) {
      throw new FieldError('is needed: there is such a group already, with other properties', { path: 'area' });
    }
    const [group] = this.#read('did_groups', {
      country: seed.country,
      did_group_type: seed.type,
      prefix,
      area_name,
      features: seed.features ?? ['voice_in'],
      needs_registration: needsRegistration,
    });
    const id = group?.row.id ?? '';
    const [sku] = this.#read('stock_keeping_units', {
      did_group: id,
      channels_included_count: seed.channels,
      setup_price: seed.setup_price,
      monthly_price: seed.monthly_price,
    });
    this.#made();
    await this.#write([group, sku].filter((row) => row !== undefined));
    if (needsRegistration) await this.#ensureRequirement(seed);
    const countryPrefix = this.#index.countries.find(seed.country).prefix ?? '';
    return {
      id,
      skuId: sku?.row.id ?? this.#index.skus.byKey(skuKey(id, seed.channels))?.id ?? '',
      channels: seed.channels,
      needsRegistration,
      start: dialPrefix(countryPrefix, prefix),
      countryPrefix,
      prefix,
    };
  }

  /** What the country asks for; where no rule is known, an address is enough. */
  async #ensureRequirement({ country, type }: NumberSeed): Promise<void> {
    await loadRequirements(this.#db);
    const place = {
      country_id: this.#index.countries.find(country).id,
      did_group_type_id: this.#index.types.find(type).id,
      address_area_level: 'world_wide',
    } as const;
    await this.#db
      .insertInto('address_requirements')
      .values({
        id: nameBasedId('address_requirements', country, type),
        ...place,
        identity_type: 'any',
        personal_area_level: 'world_wide',
        business_area_level: 'world_wide',
        personal_proof_qty: 0,
        business_proof_qty: 0,
        address_proof_qty: 0,
        service_description_required: false,
        restriction_message: '',
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** The digits that all numbers of a new group begin with: the number's own, or those of the country's mobiles. */
  #usualPrefix({ country, type, number }: NumberSeed): string {
    const code = this.#index.countries.find(country).prefix ?? '';
    if (isNorthAmerican(code) && number !== null) return number.slice(1, 4);
    if (number?.startsWith(code)) return number.slice(code.length, code.length + 2);
    const example = isSupportedCountry(country) ? getExampleNumber(country, mobileExamples) : undefined;
    if (type === 'Mobile' && example !== undefined && !isNorthAmerican(code)) return example.nationalNumber.slice(0, 1);
    throw new FieldError(`is needed: the catalogue has no number group of ${country} and ${type}`, { path: 'prefix' });
  }

  async #ensureCountry({ country, type }: NumberSeed): Promise<void> {
    const rows: TableRow[] = [];
    if (this.#index.countries.byKey(country) === undefined) {
      if (!isSupportedCountry(country))
        throw new FieldError('is no country with telephone numbers', { path: 'country' });
      const name = new Intl.DisplayNames(['en'], { type: 'region' }).of(country) ?? country;
      const id = countryIdOf(country);
      rows.push(...this.#read('countries', { id, iso: country, name, prefix: getCountryCallingCode(country) }));
    }
    if (this.#index.types.byKey(type) === undefined) {
      rows.push(...this.#read('did_group_types', { id: groupTypeIdOf(type), name: type }));
    }
    await this.#write(rows);
  }

  #read(type: string, record: Record<string, unknown>): TableRow[] {
    return recordTypes[type]?.(takeFrom(record), this.#index) ?? [];
  }

  async #write(rows: readonly TableRow[]): Promise<void> {
    const writer = new RowWriter(this.#db);
    for (const { table, row } of rows) writer.add(table, row);
    await writer.flush();
  }
}

/** Errors name the member of the seed that the member of the record was made from. */
const takeFrom =
  (record: Record<string, unknown>): Take =>
  (member, field) => {
    try {
      return field(record[member]);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new FieldError(error.detail, { path: seedMembers[member] ?? member });
    }
  };

const seedMembers: Readonly<Record<string, string>> = {
  channels_included_count: 'channels',
  did_group_type: 'type',
  area_name: 'area',
};

function noneIsFree(): never {
  throw new FieldError('has a prefix under which no valid number is free', { path: 'prefix' });
}
