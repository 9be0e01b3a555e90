/** The values that attributes of address and emergency requirements can have, with their meaning. */
import type { MandatoryField } from '../../catalogue/requirements/rule-files.ts';

export const ACCEPTED_IDENTITIES = {
  any: 'A person or a company.',
  personal: 'Only a person.',
  business: 'Only a company.',
};

export const IDENTITY_AREAS = { world_wide: 'In any country.', country: 'In the country of the numbers.' };

export const LOCAL_AREAS = {
  country: 'In the country of the numbers.',
  area: 'In the area that the prefix of the numbers covers.',
  city: 'In the city of the numbers.',
};

export const ADDRESS_AREAS = { world_wide: 'In any country.', ...LOCAL_AREAS };

export const mandatoryFields: Readonly<Record<MandatoryField, string>> = {
  birth_date: 'The day of birth.',
  birth_country: 'The country of birth.',
  country: 'The country of residence.',
  personal_tax_id: 'The tax number of the person.',
  id_number: 'The number of the passport or identity card.',
  vat_id: 'The VAT number.',
  company_reg_number: 'The number in the company register.',
  contact_email: 'An e-mail address.',
};
