/** Records as choices of a form's field. */

import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showNumber } from './format.ts';
import { type Choice, type Source, sourceOf } from './picker.tsx';

const byName = ({ name }: { name: string }): string => name;
const named = { sort: 'name', label: byName };

/** Of the account: inbound trunks, and their groups. */
export const trunkSource = sourceOf('/v3/voice_in_trunks', {
  ...named,
  find: { type: 'voice_in_trunks' },
});
export const trunkGroupSource = sourceOf('/v3/voice_in_trunk_groups', {
  ...named,
  find: { type: 'voice_in_trunk_groups' },
});
export const poolSource = sourceOf('/v3/capacity_pools', {
  ...named,
  // Few, and found by their whole name only.
  find: { parameters: (text) => ({ 'filter[name]': text }) },
});
export const addressSource = sourceOf('/v3/addresses', {
  label: ({ address, postal_code, city_name }) => `${address}, ${postal_code} ${city_name}`,
  find: { type: 'addresses' },
});

interface ListedNumber {
  number: string;
  description: string | null;
}
const numbers = {
  sort: '-created_at',
  label: ({ number, description }: ListedNumber) =>
    description ? `${showNumber(number)} · ${description}` : showNumber(number),
  find: { type: 'dids' },
};
type NumberRoute = '/v3/dids' | '/panel/v1/unregistered_numbers' | '/panel/v1/emergency_numbers';

/** The account's numbers that the filter finds, the newest first; the route may list some of them only. */
export const numberSource = (fixed: Readonly<Record<string, string>> = {}, route: NumberRoute = '/v3/dids'): Source =>
  sourceOf(route, { ...numbers, fixed });

/** The same, chosen by their digits. */
export const digitsSource = (fixed: Readonly<Record<string, string>> = {}): Source =>
  sourceOf('/v3/dids', { ...numbers, fixed, value: ({ number }) => number, by: 'filter[number]' });

export const citySource = (countryId: string): Source =>
  sourceOf('/v3/cities', {
    fixed: { 'filter[country.id]': countryId, 'filter[is_available]': 'true' },
    ...named,
    find: { type: 'cities', country: countryId },
  });

export const keySource = sourceOf('/panel/v1/api_keys', {
  ...named,
  find: { parameters: (text) => ({ 'filter[name]': text }) },
});

/** Of operators: carriers or providers, and customers. */
export const peerSource = (kind: 'carriers' | 'providers'): Source =>
  sourceOf(`/operator/v1/${kind}`, {
    ...named,
    find: { parameters: (text) => ({ 'filter[name_contains]': text }) },
  });
export const customerSource = sourceOf('/operator/v1/accounts', {
  ...named,
  find: { parameters: (text) => ({ 'filter[search]': text }) },
});

export function useCountries(): Choice[] {
  const read = useRead(pathWith('/v3/countries', { sort: 'name' }));
  return (read.data?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }));
}
