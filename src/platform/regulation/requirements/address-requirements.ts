import { MANDATORY_FIELDS } from '../../../catalogue/requirements/fields.ts';
import { boolean, integer, list, text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId } from '../../../jsonapi/filters.ts';
import { catalogue } from '../../declare.ts';

const identityArea = text({ nullable: true, enum: ['world_wide', 'country'] });
const mandatory = list({ type: 'string', enum: MANDATORY_FIELDS }, { nullable: true });
const document = toOne('supporting_document_templates', { nullable: true });
const proofTypesFor = (kind: 'personal' | 'business' | 'address') =>
  toMany('proof_types', {
    through: {
      table: `(select * from address_requirement_proof_types where kind = '${kind}')`,
      from: 'address_requirement_id',
      to: 'proof_type_id',
    },
  });

/** What a country asks for before numbers of a type may be used. */
export const addressRequirements = catalogue('address_requirements', {
  group: 'Regulation',
  summary: 'What a country asks for before numbers of a type may be used.',
  formerPaths: ['/requirements'],
  attributes: {
    identity_type: text({ enum: ['any', 'personal', 'business'] }),
    personal_area_level: identityArea,
    business_area_level: identityArea,
    address_area_level: text({ enum: ['world_wide', 'country', 'area', 'city'] }),
    personal_proof_qty: integer({ min: 0 }),
    business_proof_qty: integer({ min: 0 }),
    address_proof_qty: integer({ min: 0 }),
    personal_mandatory_fields: mandatory,
    business_mandatory_fields: mandatory,
    service_description_required: boolean(),
    restriction_message: text(),
  },
  relationships: {
    country: toOne('countries'),
    did_group_type: toOne('did_group_types'),
    personal_permanent_document: document,
    business_permanent_document: document,
    personal_onetime_document: document,
    business_onetime_document: document,
    personal_proof_types: proofTypesFor('personal'),
    business_proof_types: proofTypesFor('business'),
    address_proof_types: proofTypesFor('address'),
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
