/**
 * Ids that are the same on every machine: those of the reference service, which clients have built in, and for all
 * other entries ids derived from names (UUID version 5) or numbers (version 8).
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RawBuilder, sql } from 'kysely';

const namespace = Buffer.from('4e5f0a5c3c0b5d7f9a1e6b2d8c4f7013', 'hex');
const mostLetters = 1_000;
/** The namespace with room for a name behind it: the demo catalogue has a quarter of a million of them. */
const room = Buffer.concat([namespace], namespace.length + 3 * mostLetters);

export function nameBasedId(type: string, ...name: (string | null)[]): string {
  const text = `${type}/${name.map((part) => part ?? '').join('/')}`;
  const bytes =
    text.length > mostLetters
      ? Buffer.concat([namespace, Buffer.from(text)])
      : room.subarray(0, namespace.length + room.write(text, namespace.length));
  const hex = hash('sha1', bytes, 'hex');
  // The bits that say which kind of UUID it is.
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The id of a bulk-loaded number: the number and its length as a UUID version 8. Inserted in ascending order such ids
 * fill the primary key index page by page, several times faster than random ids, and a number imported again gets the
 * same id.
 */
export function numberId(number: RawBuilder<unknown>): RawBuilder<string> {
  const digits = sql`rpad(${number}, 15, '0')`;
  return sql<string>`(left(${digits}, 12) || '8' || right(${digits}, 3) || '800000000000000' || to_hex(length(${number})))::uuid`;
}

interface ReferenceIds {
  countries: Readonly<Record<string, string>>;
  did_group_types: Readonly<Record<string, string>>;
  regions_of_US_and_Canada_by_name: Readonly<Record<string, string>>;
  pops: Readonly<Record<string, string>>;
  /** Key: `Address / Utility Bill`. */
  proof_types: Readonly<Record<string, string>>;
}

const ids: ReferenceIds = JSON.parse(readFileSync(new URL('./demo/reference-ids.json', import.meta.url), 'utf8'));

/** The reference service uses another name for this region. */
const regionNames: Readonly<Record<string, string>> = { 'district of columbia': 'washington dc' };
const regions = new Map(
  Object.entries(ids.regions_of_US_and_Canada_by_name).map(([name, id]) => [name.toLowerCase(), id]),
);

export const countryIdOf = (iso: string): string => ids.countries[iso] ?? nameBasedId('countries', iso);

export function regionIdOf(iso: string, name: string): string {
  const key = name.toLowerCase();
  const known = /^(US|CA)-/.test(iso) ? regions.get(regionNames[key] ?? key) : undefined;
  return known ?? nameBasedId('regions', iso);
}

export const groupTypeIdOf = (name: string): string =>
  ids.did_group_types[name] ?? nameBasedId('did_group_types', name);

export const popIdOf = (name: string): string => ids.pops[name] ?? nameBasedId('pops', name);

export const proofTypeIdOf = (entityType: string, name: string): string =>
  ids.proof_types[`${entityType} / ${name}`] ?? nameBasedId('proof_types', entityType, name);
