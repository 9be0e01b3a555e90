/**
 * The ids of the reference service for countries, number types and other entries, because clients have some of them
 * built in. Other entries get an id derived from their name.
 */
import { readFileSync } from 'node:fs';
import { nameBasedId } from './name-based-id.ts';

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
