/** The rules between the fields of an identity, on the whole of it: what is stored with what was sent. */
import { type ErrorObject, invalid, messages } from '../../jsonapi/errors.ts';
import { fitsCountry } from './vat-number.ts';

export interface IdentityFields {
  identity_type: 'personal' | 'business';
  company_name: string | null;
  company_reg_number: string | null;
  vat_id: string | null;
  country_iso: string | null;
}

const OF_COMPANIES = ['company_name', 'company_reg_number', 'vat_id'] as const;

export function checkIdentity(identity: IdentityFields): ErrorObject[] {
  if (identity.identity_type === 'personal') {
    return OF_COMPANIES.filter((name) => identity[name] !== null).map((name) =>
      invalid.attribute(name, messages.mustBeBlank),
    );
  }
  const problems: ErrorObject[] = [];
  if (identity.company_name === null) problems.push(invalid.attribute('company_name', messages.blank));
  if (identity.vat_id !== null) {
    if (identity.country_iso === null) problems.push(invalid.relationship('country', messages.blank));
    else if (!fitsCountry(identity.vat_id, identity.country_iso)) {
      problems.push(invalid.attribute('vat_id', messages.invalid));
    }
  }
  return problems;
}
