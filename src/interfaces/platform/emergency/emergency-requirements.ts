/** `emergency_requirements`: what a country requires for emergency calling, and the price; and the dry run of it. */
import { addressFields, labelOf, type MandatoryField } from '../../../business/catalogue/requirements/rule-files.ts';
import type { IdentityType } from '../../../engines/db/tables/regulation.ts';
import { list, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId } from '../../../engines/jsonapi/filters.ts';
import { catalogue, needsFeature } from '../declare.ts';
import { acceptedIdentities, identityAreas, localAreas } from '../regulation/address-requirements.ts';
import { validationsOf } from '../regulation/requirement-validations.ts';
import { pricedFor } from './rates.ts';

const { any, business, personal } = acceptedIdentities;
const emergencyIdentities = { any, business, personal };

/** The labels of identity fields, each with the attribute it means. */
const labelled = (kind: IdentityType, fields: readonly MandatoryField[]) =>
  Object.fromEntries(fields.map((field) => [labelOf(kind, field), `\`${field}\``]));
const personFields = labelled('personal', ['birth_date', 'country', 'id_number', 'personal_tax_id', 'contact_email']);
const companyFields = labelled('business', [
  'id_number',
  'vat_id',
  'country',
  'company_reg_number',
  'personal_tax_id',
  'contact_email',
  'birth_date',
]);
const addressLabels = Object.fromEntries(addressFields.map((label) => [label, 'The region that the city is in.']));
const identityArea = (doc: string) => text({ nullable: true, values: identityAreas, doc });

export const emergencyRequirements = catalogue('emergency_requirements', {
  group: 'Emergency',
  noun: 'emergency requirement',
  summary: 'What a country asks for before numbers may call emergency services, and what that costs.',
  attributes: {
    identity_type: text({ values: emergencyIdentities, doc: 'Who can have the service.' }),
    personal_area_level: identityArea('Where a person must live; null where persons are not accepted.'),
    business_area_level: identityArea('Where a company must be; null where companies are not accepted.'),
    address_area_level: text({ values: localAreas, doc: 'Where the address must be.' }),
    personal_mandatory_fields: list(
      { type: 'string', values: personFields },
      { doc: 'What the identity of a person must say.' },
    ),
    business_mandatory_fields: list(
      { type: 'string', values: companyFields },
      { doc: 'What the identity of a company must say.' },
    ),
    address_mandatory_fields: list({ type: 'string', values: addressLabels }, { doc: 'What the address must say.' }),
    estimate_setup_time: text({ doc: 'How long the review usually takes.' }),
    requirement_restriction_message: text({ nullable: true, doc: 'Further rules, for people to read.' }),
  },
  relationships: {
    country: toOne('countries', { doc: 'The country it holds in.' }),
    did_group_type: toOne('did_group_types', { doc: 'The kind of numbers it holds for.' }),
  },
  meta: {
    setup_price: { type: 'decimal|null', doc: 'Charged once for each number.', column: 't.setup_price' },
    monthly_price: { type: 'decimal|null', doc: 'Charged for each number and month.', column: 't.monthly_price' },
  },
  filters: {
    'country.id': anyId('t.country_id'),
    'did_group_type.id': anyId('t.did_group_type_id'),
    id: anyId('t.id'),
  },
  relationshipEndpoints: false,
  from: ({ caller }, params) => `(${pricedFor(params.add(caller?.accountId ?? null))}) t`,
  guard: needsFeature('emergency'),
  // A requirement without a price is not sold to the account. Its existing services still show it, without prices.
  direct: () => 't.monthly_price is not null',
  visible: ({ caller }, params) =>
    `(t.monthly_price is not null or exists (select from emergency_calling_services s
      where s.emergency_requirement_id = t.id and s.account_id = ${params.add(caller?.accountId ?? null)}))`,
});

export const emergencyRequirementValidations = validationsOf('emergency_requirement', {
  group: 'Emergency',
  title: 'Check an identity and address against an emergency requirement',
  summary: 'A dry run of an identity and address against an emergency requirement.',
  guard: needsFeature('emergency'),
});
