/** The identity fields that a requirement can demand, and their labels. */
import type { IdentityType } from '../../db/tables/regulation.ts';

export const MANDATORY_FIELDS = [
  'birth_date',
  'birth_country',
  'country',
  'personal_tax_id',
  'id_number',
  'vat_id',
  'company_reg_number',
  'contact_email',
] as const;

export type MandatoryField = (typeof MANDATORY_FIELDS)[number];

/** Personal fields of a business are those of its representative. */
const labels: Readonly<Record<IdentityType, Readonly<Record<MandatoryField, string>>>> = {
  personal: {
    birth_date: 'Birth Date',
    birth_country: 'Place of Birth',
    country: 'Country of Tax Residence',
    personal_tax_id: 'Personal Tax ID',
    id_number: 'ID Number',
    vat_id: 'VAT Number / TAX Code',
    company_reg_number: 'Company ID',
    contact_email: 'Contact email',
  },
  business: {
    birth_date: 'Company Representative Date of Birth',
    birth_country: 'Company Representative Place of Birth',
    country: 'Country of Tax Residence',
    personal_tax_id: 'Representative Tax ID',
    id_number: 'ID Number',
    vat_id: 'VAT Number / TAX Code',
    company_reg_number: 'Company ID',
    contact_email: 'Contact email',
  },
};

export const labelOf = (kind: IdentityType, field: MandatoryField): string => labels[kind][field];

/** Finds a field by its label, which is how emergency requirements name it. */
export const fieldLabelled = (kind: IdentityType, label: string): MandatoryField | undefined =>
  MANDATORY_FIELDS.find((name) => labels[kind][name] === label);

export const ADDRESS_FIELDS = ['State/Province/Region'] as const;
