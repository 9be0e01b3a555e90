/** Reads the number records of a catalogue file, and checks each against its group and numbering plan. */
import { type CountryCode, isSupportedCountry, Metadata } from 'libphonenumber-js/max';
import { FieldError, lowerCaseUuid, nullable, text } from '../../base/fields.ts';
import type { CatalogueIndex, CountryEntry, GroupEntry } from './catalogue-index.ts';
import { nameBasedId } from './ids.ts';
import type { Row, TableRow, Take } from './records.ts';
import { dialPrefix, isNorthAmerican } from './rows.ts';

export interface NumberRecord {
  id: string | null;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
}

/** The members of a number record; only the first is required. */
export const numberColumns = ['number', 'did_group_id', 'country', 'did_group_type', 'prefix', 'area_name', 'id'];

const e164 = text(/^[1-9]\d{5,14}$/, 'a number in E.164 digits without "+"');
const optionalId = nullable(lowerCaseUuid);
const optionalText = nullable(text());
const exchange = /^1[2-9]\d\d(?!\d11)[2-9]\d\d\d{4}$/;

export class NumberReader {
  readonly #index: CatalogueIndex;
  readonly #groupById = nullable((value) => this.#index.groups.find(lowerCaseUuid(value)));
  readonly #links = new Set<string>();
  readonly #lengths = new Map<string, ReadonlySet<number> | null>();

  constructor(index: CatalogueIndex) {
    this.#index = index;
  }

  /** `rows` are the NPA-NXX that this number is the first to need. */
  read(take: Take): { record: NumberRecord; rows: TableRow[] } {
    const number = take('number', e164);
    const group = this.#group(take);
    const country = this.#index.countries.find(group.country_id);
    const start = dialPrefix(country.prefix ?? '', group.prefix);
    if (!number.startsWith(start))
      throw new FieldError(`number: ${number} does not begin with ${start}, as its group does`);
    this.#checkLength(number, country);
    group.has_stock = true;
    const record: NumberRecord = {
      id: take('id', optionalId),
      number,
      did_group_id: group.id,
      nanpa_prefix_id: null,
    };
    if (!isNorthAmerican(country.prefix)) return { record, rows: [] };
    if (!exchange.test(number)) throw new FieldError(`number: ${number} has no valid exchange code`);
    const { id, rows } = this.#nanpaPrefix(number.slice(1, 4), number.slice(4, 7), group);
    return { record: { ...record, nanpa_prefix_id: id }, rows };
  }

  #group(take: Take): GroupEntry {
    const group = take('did_group_id', this.#groupById);
    const country = take('country', optionalText);
    const type = take('did_group_type', optionalText);
    const prefix = take('prefix', optionalText);
    const areaName = take('area_name', optionalText);
    if (group !== null) return group;
    if (country === null || prefix === null)
      throw new FieldError('did_group_id, or country and prefix, must say which group it is in');
    return this.#index.groupByKey(country, type ?? 'Local', prefix, areaName);
  }

  #checkLength(number: string, { iso, prefix }: CountryEntry): void {
    let lengths = this.#lengths.get(iso);
    if (lengths === undefined) {
      lengths = possibleLengths(iso);
      this.#lengths.set(iso, lengths);
    }
    const national = number.length - (isNorthAmerican(prefix) ? 1 : (prefix?.length ?? 0));
    if (lengths && !lengths.has(national)) throw new FieldError(`number: ${number} has a wrong length for ${iso}`);
  }

  #nanpaPrefix(npa: string, nxx: string, group: GroupEntry): { id: string; rows: TableRow[] } {
    const rows: TableRow[] = [];
    const known = this.#index.nanpa.byKey(`${npa}${nxx}`);
    const id = known?.id ?? nameBasedId('nanpa_prefixes', npa, nxx);
    if (!known) {
      const row: Row = { id, country_id: group.country_id, region_id: group.region_id ?? null, npa, nxx };
      this.#index.nanpa.add({ id, npa, nxx });
      rows.push({ table: 'nanpa_prefixes', row });
    }
    const link = `${group.id} ${id}`;
    if (!this.#links.has(link)) {
      this.#links.add(link);
      rows.push({ table: 'did_group_nanpa_prefixes', row: { did_group_id: group.id, nanpa_prefix_id: id } });
    }
    return { id, rows };
  }
}

/** Possible lengths of national numbers in the country's plan; null if unknown. */
function possibleLengths(iso: string): ReadonlySet<number> | null {
  if (!isSupportedCountry(iso)) return null;
  const metadata = new Metadata();
  metadata.selectNumberingPlan(iso satisfies CountryCode);
  return new Set(metadata.numberingPlan?.possibleLengths());
}
