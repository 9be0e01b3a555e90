/** A catalogue of a few entries for tests, as the lines of an import file. */

export const london = '11111111-0000-4000-8000-000000000001';
export const newYork = '11111111-0000-4000-8000-000000000002';
export const ukMobile = '11111111-0000-4000-8000-000000000003';
export const paris = '11111111-0000-4000-8000-000000000004';

export const smallCatalogue = [
  { type: 'countries', iso: 'GB', name: 'United Kingdom', prefix: '44' },
  { type: 'countries', iso: 'US', name: 'United States', prefix: '1' },
  { type: 'countries', iso: 'FR', name: 'France', prefix: '33' },
  { type: 'countries', iso: 'AQ', name: 'Antarctica', prefix: null },
  { type: 'regions', country: 'GB', iso: 'GB-ENG', name: 'England' },
  { type: 'regions', country: 'US', iso: 'US-NY', name: 'New York' },
  { type: 'areas', id: '22222222-0000-4000-8000-000000000001', country: 'GB', name: 'Greater London' },
  {
    type: 'cities',
    id: '33333333-0000-4000-8000-000000000001',
    country: 'GB',
    region: 'GB-ENG',
    area: '22222222-0000-4000-8000-000000000001',
    name: 'London',
  },
  { type: 'cities', id: '33333333-0000-4000-8000-000000000002', country: 'US', region: 'US-NY', name: 'New York' },
  { type: 'pops', name: 'Frankfurt, Germany' },
  { type: 'did_group_types', name: 'Local' },
  { type: 'did_group_types', name: 'Mobile' },
  {
    type: 'did_groups',
    id: london,
    country: 'GB',
    region: 'GB-ENG',
    city: '33333333-0000-4000-8000-000000000001',
    did_group_type: 'Local',
    prefix: '20',
    area_name: 'London',
    features: ['voice_in', 't38'],
  },
  {
    type: 'did_groups',
    id: newYork,
    country: 'US',
    region: 'US-NY',
    city: '33333333-0000-4000-8000-000000000002',
    did_group_type: 'Local',
    prefix: '212',
    area_name: 'New York',
    features: ['voice_in', 'sms_in', 'emergency'],
    service_restrictions: 'Says "no" to \\ fax,\tand more.',
  },
  {
    type: 'did_groups',
    id: ukMobile,
    country: 'GB',
    did_group_type: 'Mobile',
    prefix: '7700',
    area_name: 'Mobile',
    features: ['voice_in', 'sms_in'],
    is_metered: true,
    allow_additional_channels: false,
    available_dids_enabled: false,
    needs_registration: true,
    back_orderable: false,
  },
  {
    type: 'did_groups',
    id: paris,
    country: 'FR',
    did_group_type: 'Local',
    prefix: '1',
    area_name: 'Paris',
    features: ['voice_in'],
  },
  {
    type: 'stock_keeping_units',
    did_group: london,
    setup_price: '0',
    monthly_price: '0.48',
    channels_included_count: 0,
  },
  {
    type: 'stock_keeping_units',
    did_group: london,
    setup_price: '0',
    monthly_price: '0.8',
    channels_included_count: 2,
  },
  { type: 'nanpa_prefixes', country: 'US', region: 'US-NY', npa: '212', nxx: '220', did_groups: [newYork] },
];

export function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
