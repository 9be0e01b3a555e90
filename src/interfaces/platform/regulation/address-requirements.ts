/** `address_requirements`: what is needed to register numbers of a country and type. */
import type { MandatoryField } from '../../../business/catalogue/requirements/rule-files.ts';
import { boolean, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId } from '../../../engines/jsonapi/filters.ts';
import { reference } from '../declare.ts';

export const acceptedIdentities = {
  any: 'A person or a company.',
  personal: 'Only a person.',
  business: 'Only a company.',
};

export const identityAreas = { world_wide: 'In any country.', country: 'In the country of the numbers.' };

export const localAreas = {
  country: 'In the country of the numbers.',
  area: 'In the area that the prefix of the numbers covers.',
  city: 'In the city of the numbers.',
};

const addressAreas = { world_wide: 'In any country.', ...localAreas };

const mandatoryFieldTexts: Readonly<Record<MandatoryField, string>> = {
  birth_date: 'The day of birth.',
  birth_country: 'The country of birth.',
  country: 'The country of residence.',
  personal_tax_id: 'The tax number of the person.',
  id_number: 'The number of the passport or identity card.',
  vat_id: 'The VAT number.',
  company_reg_number: 'The number in the company register.',
  contact_email: 'An e-mail address.',
};

const identityArea = (doc: string) => text({ nullable: true, values: identityAreas, doc });
const mandatory = (doc: string) => list({ type: 'string', values: mandatoryFieldTexts }, { nullable: true, doc });
const document = (doc: string) => toOne('supporting_document_templates', { nullable: true, doc });
const proofs = (whose: string) => integer({ min: 0, doc: `How many proofs ${whose} needs.` });
const proofTypesFor = (kind: 'personal' | 'business' | 'address', whose: string) =>
  toMany('proof_types', {
    doc: `What is accepted as proof of ${whose}.`,
    through: {
      table: `(select * from address_requirement_proof_types where kind = '${kind}')`,
      from: 'address_requirement_id',
      to: 'proof_type_id',
    },
  });

export const addressRequirements = reference('address_requirements', {
  group: 'Regulation',
  noun: 'address requirement',
  summary: 'What a country asks for before numbers of a type may be used.',
  attributes: {
    identity_type: text({ values: acceptedIdentities, doc: 'Who numbers can be registered to.' }),
    personal_area_level: identityArea('Where a person must live; null where persons are not accepted.'),
    business_area_level: identityArea('Where a company must be; null where companies are not accepted.'),
    address_area_level: text({ values: addressAreas, doc: 'Where the address must be.' }),
    personal_proof_qty: proofs('a person'),
    business_proof_qty: proofs('a company'),
    address_proof_qty: proofs('an address'),
    personal_mandatory_fields: mandatory('What the identity of a person must say.'),
    business_mandatory_fields: mandatory('What the identity of a company must say.'),
    service_description_required: boolean({ doc: 'Whether a submission must say what the numbers are for.' }),
    restriction_message: text({ doc: 'Further rules, for people to read.' }),
  },
  relationships: {
    country: toOne('countries', { doc: 'The country it holds in.' }),
    did_group_type: toOne('did_group_types', { doc: 'The kind of numbers it holds for.' }),
    personal_permanent_document: document('The form a person signs once.'),
    business_permanent_document: document('The form a company signs once.'),
    personal_onetime_document: document('The form a person signs for each submission.'),
    business_onetime_document: document('The form a company signs for each submission.'),
    personal_proof_types: proofTypesFor('personal', 'a person'),
    business_proof_types: proofTypesFor('business', 'a company'),
    address_proof_types: proofTypesFor('address', 'an address'),
  },
  filters: {
    'country.id': anyId('t.country_id'),
    'did_group_type.id': anyId('t.did_group_type_id'),
    id: anyId('t.id'),
  },
  sort: [
    'address_proof_qty',
    'business_proof_qty',
    'personal_proof_qty',
    'restriction_message',
    'service_description_required',
  ],
});
