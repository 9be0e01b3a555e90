/** Types of the paperwork, and the fields of its forms. */

import { linkOf, type One, related } from '../api/documents.ts';
import type { RecordOf } from '../api/routes.ts';
import { addressSource, numberSource, useCountries } from '../parts/choices.ts';
import type { Field, FieldValues } from '../parts/fields.tsx';
import { type Source, sourceOf } from '../parts/picker.tsx';

export type Requirement = RecordOf<'/v3/address_requirements'>;
export type Identity = RecordOf<'/v3/identities'>;
export type Address = RecordOf<'/v3/addresses'>;
export type Verification = RecordOf<'/v3/address_verifications'>;
/** A form that has to be signed; its `url` leads to the blank form as PDF. */
export type Template = RecordOf<'/v3/supporting_document_templates'>;

export const nameOf = ({ attributes }: Pick<Identity, 'attributes'>): string =>
  [`${attributes.first_name} ${attributes.last_name}`, attributes.company_name].filter(Boolean).join(', ');

export const requirementInclude =
  'country,did_group_type,personal_permanent_document,business_permanent_document,personal_onetime_document,' +
  'business_onetime_document,personal_proof_types,business_proof_types,address_proof_types';

/** Numbers that can be registered now, of one requirement or of any. */
export const unregistered = (requirementId?: string): Source =>
  numberSource(
    requirementId === undefined ? {} : { 'filter[requirement_id]': requirementId },
    '/panel/v1/unregistered_numbers',
  );

export const identitySource = sourceOf('/v3/identities', {
  sort: '-created_at',
  label: (attributes) => nameOf({ attributes }),
  find: { type: 'identities' },
});

/** What the form of an identity begins with. */
export const identityValues = (identity: Identity): FieldValues => ({
  ...identity.attributes,
  country: linkOf(identity, 'country'),
  birth_country: linkOf(identity, 'birth_country'),
});

export const addressValues = ({ attributes }: Address): FieldValues => ({ ...attributes });

export const addressesOf = (identityId: string): Source => ({
  ...addressSource,
  fixed: { 'filter[identity.id]': identityId },
  sort: '-created_at',
});

/** The form that is signed anew for each submission, if the requirement names one for this kind of identity. */
export const onetimeDocumentOf = (requirement: One<Requirement>, { attributes }: Identity): Template | undefined =>
  related(requirement, requirement.data, `${attributes.identity_type}_onetime_document`);

const isBusiness = (values: FieldValues) => values.identity_type === 'business';

/** What a requirement asks of an identity; without one, anybody is accepted and nothing more is needed. */
interface IdentityNeeds {
  kinds: readonly ('personal' | 'business')[];
  /** Names of fields that a person or a company must fill in. */
  personal: readonly string[];
  business: readonly string[];
}

const nothingMore: IdentityNeeds = { kinds: ['personal', 'business'], personal: [], business: [] };

export function useIdentityFields(isNew: boolean, needs = nothingMore): readonly Field[] {
  const countries = useCountries();
  const kinds = [
    { value: 'personal', label: 'A person' },
    { value: 'business', label: 'A company' },
  ] as const;
  const fields: readonly Field[] = [
    ...(isNew
      ? [
          {
            name: 'identity_type',
            label: 'Kind',
            kind: 'select' as const,
            required: true,
            options: kinds.filter(({ value }) => needs.kinds.includes(value)),
          },
        ]
      : []),
    { name: 'first_name', label: 'First name', about: "Of a company, its representative's.", required: true },
    { name: 'last_name', label: 'Last name', required: true },
    { name: 'phone_number', label: 'Phone number', about: 'Digits only, with the country code.', required: true },
    { name: 'contact_email', label: 'E-mail address' },
    { name: 'company_name', label: 'Company name', required: true, when: isBusiness },
    { name: 'company_reg_number', label: 'Company registration number', when: isBusiness },
    { name: 'vat_id', label: 'VAT number', about: 'Checked by the rules of the country.', when: isBusiness },
    {
      name: 'country',
      label: 'Country',
      about: 'Where the person lives or the company is.',
      kind: 'select',
      options: countries,
    },
    { name: 'id_number', label: 'Passport or identity card number' },
    { name: 'personal_tax_id', label: 'Tax number' },
    { name: 'birth_date', label: 'Date of birth', kind: 'date' },
    { name: 'birth_country', label: 'Country of birth', kind: 'select', options: countries },
    { name: 'description', label: 'Your own note' },
  ];
  return fields.map((field) => ({
    ...field,
    required: (values: FieldValues) =>
      field.required === true || (isBusiness(values) ? needs.business : needs.personal).includes(field.name),
  }));
}

export const identityLinks = { country: 'countries', birth_country: 'countries' };

/** `countryId` is the only country in which a new address may be, if there is one. */
export function useAddressFields(isNew = true, countryId: string | null = null): readonly Field[] {
  const options = useCountries().filter(({ value }) => countryId === null || value === countryId);
  return [
    ...(isNew ? [{ name: 'country', label: 'Country', kind: 'select' as const, required: true, options }] : []),
    { name: 'postal_code', label: 'Postal code', required: true },
    { name: 'city_name', label: 'City', required: true },
    { name: 'address', label: 'Street and house number', required: true },
    { name: 'description', label: 'Your own note' },
  ];
}
