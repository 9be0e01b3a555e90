import { ADDRESS_FIELDS } from '../../catalogue/requirements/fields.ts';
import { list, text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId } from '../../jsonapi/filters.ts';
import { catalogue, needsFeature } from '../declare.ts';
import { pricedFor } from './rates.ts';

const OF_PERSONS = ['Birth Date', 'Country of Tax Residence', 'ID Number', 'Personal Tax ID', 'Contact email'];
const OF_COMPANIES = [
  'ID Number',
  'VAT Number / TAX Code',
  'Country of Tax Residence',
  'Company ID',
  'Representative Tax ID',
  'Contact email',
  'Company Representative Date of Birth',
];
const identityArea = text({ nullable: true, enum: ['world_wide', 'country'] });

/** What a country asks for before numbers of a type may call its emergency services, and what that costs. */
export const emergencyRequirements = catalogue('emergency_requirements', {
  group: 'Emergency',
  summary: 'What a country asks for before numbers may call emergency services, and what that costs.',
  attributes: {
    identity_type: text({ enum: ['any', 'business', 'personal'] }),
    personal_area_level: identityArea,
    business_area_level: identityArea,
    address_area_level: text({ enum: ['country', 'area', 'city'] }),
    personal_mandatory_fields: list({ type: 'string', enum: OF_PERSONS }),
    business_mandatory_fields: list({ type: 'string', enum: OF_COMPANIES }),
    address_mandatory_fields: list({ type: 'string', enum: ADDRESS_FIELDS }),
    estimate_setup_time: text(),
    requirement_restriction_message: text({ nullable: true }),
  },
  relationships: { country: toOne('countries'), did_group_type: toOne('did_group_types') },
  meta: {
    setup_price: { type: 'decimal|null', column: 't.setup_price' },
    monthly_price: { type: 'decimal|null', column: 't.monthly_price' },
  },
  filters: {
    'country.id': anyId('t.country_id'),
    'did_group_type.id': anyId('t.did_group_type_id'),
    id: anyId('t.id'),
  },
  relationshipEndpoints: false,
  from: ({ accountId }, params) => `(${pricedFor(params.add(accountId))}) t`,
  guard: needsFeature('emergency'),
  // What is not sold to the account is hidden from it; a service that has it still shows it, without prices.
  direct: () => 't.monthly_price is not null',
  visible: ({ accountId }, params) =>
    `(t.monthly_price is not null or exists (select from emergency_calling_services s
      where s.emergency_requirement_id = t.id and s.account_id = ${params.add(accountId)}))`,
});
