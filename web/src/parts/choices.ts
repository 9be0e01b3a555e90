/** Records as choices of a form's field. */
import type { Country, Did, Many } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showNumber } from './format.ts';
import type { Choice, Source } from './picker.tsx';

const byName = ({ name }: { name: string }): string => name;
const named = { sort: 'name', label: byName };

/** Of the account: inbound trunks, and their groups. */
export const trunkSource: Source = { path: '/v3/voice_in_trunks', ...named, find: { type: 'voice_in_trunks' } };
export const trunkGroupSource: Source = {
  path: '/v3/voice_in_trunk_groups',
  ...named,
  find: { type: 'voice_in_trunk_groups' },
};
export const poolSource: Source = {
  path: '/v3/capacity_pools',
  ...named,
  // Few, and found by their whole name only.
  find: { parameters: (text) => ({ 'filter[name]': text }) },
};
export const addressSource: Source = {
  path: '/v3/addresses',
  label: ({ address, postal_code, city_name }: { address: string; postal_code: string; city_name: string }) =>
    `${address}, ${postal_code} ${city_name}`,
  find: { type: 'addresses' },
};

/** The account's numbers that the filter finds, the newest first; `path` may list some of them only. */
export const numberSource = (fixed: Readonly<Record<string, string>> = {}, path = '/v3/dids'): Source => ({
  path,
  fixed,
  sort: '-created_at',
  label: ({ number, description }: Did['attributes']) =>
    description ? `${showNumber(number)} · ${description}` : showNumber(number),
  find: { type: 'dids' },
});

/** The same, chosen by their digits. */
export const digitsSource = (fixed: Readonly<Record<string, string>> = {}): Source => ({
  ...numberSource(fixed),
  value: ({ number }: Did['attributes']) => number,
  by: 'filter[number]',
});

export const citySource = (countryId: string): Source => ({
  path: '/v3/cities',
  fixed: { 'filter[country.id]': countryId, 'filter[is_available]': 'true' },
  ...named,
  find: { type: 'cities', country: countryId },
});

export const keySource: Source = {
  path: '/panel/v1/api_keys',
  ...named,
  find: { parameters: (text) => ({ 'filter[name]': text }) },
};

/** Of operators: carriers or providers, and customers. */
export const peerSource = (kind: 'carriers' | 'providers'): Source => ({
  path: `/operator/v1/${kind}`,
  ...named,
  find: { parameters: (text) => ({ 'filter[name_contains]': text }) },
});
export const customerSource: Source = {
  path: '/operator/v1/accounts',
  ...named,
  find: { parameters: (text) => ({ 'filter[search]': text }) },
};

export function useCountries(): Choice[] {
  const read = useRead<Many<Country>>(pathWith('/v3/countries', { sort: 'name' }));
  return (read.data?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }));
}
