import { boolean, date, dateTime, text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId, anyOf, contains } from '../../../jsonapi/filters.ts';
import { dayOf } from '../../../jsonapi/parse-value.ts';
import { owned } from '../../declare.ts';
import { createIdentity } from './create-identity.ts';
import { deleteIdentity } from './delete-identity.ts';
import { updateIdentity } from './update-identity.ts';

const optional = { nullable: true, write: 'both' } as const;
const ofCompany = { ...optional, forbiddenIf: { identity_type: 'personal' } } as const;
const is = (column: string) => anyOf(column, { single: true });

/** A person or company that numbers are registered to. */
export const identities = owned('identities', {
  group: 'Regulation',
  summary: 'A person or company that numbers are registered to.',
  attributes: {
    identity_type: text({ enum: ['personal', 'business'], write: 'create', required: true }),
    first_name: text({ write: 'both', required: true }),
    last_name: text({ write: 'both', required: true }),
    phone_number: text({ pattern: '^[0-9]+$', write: 'both', required: true }),
    contact_email: text({ ...optional, format: 'email' }),
    company_name: text({ ...ofCompany, requiredIf: { identity_type: 'business' } }),
    company_reg_number: text(ofCompany),
    vat_id: text(ofCompany),
    id_number: text(optional),
    personal_tax_id: text(optional),
    // Contract: a text that is no date ends as null.
    birth_date: { ...date(optional), accept: dayOf },
    description: text(optional),
    external_reference_id: text({ ...optional, maxLength: 100 }),
    created_at: dateTime(),
    verified: boolean({ default: false, column: 'exists (select from dids d where d.identity_id = t.id)' }),
  },
  relationships: {
    country: toOne('countries', optional),
    birth_country: toOne('countries', optional),
    proofs: toMany('proofs', { via: 'identity_id' }),
    addresses: toMany('addresses', { via: 'identity_id' }),
    permanent_documents: toMany('permanent_supporting_documents', { via: 'identity_id' }),
  },
  filters: {
    birth_date: is('t.birth_date::text'),
    company_name: is('t.company_name'),
    company_name_contains: contains('t.company_name'),
    company_reg_number: is('t.company_reg_number'),
    company_reg_number_contains: contains('t.company_reg_number'),
    'country.id': anyId('t.country_id'),
    description: is('t.description'),
    description_contains: contains('t.description'),
    external_reference_id: is('t.external_reference_id'),
    first_name: is('t.first_name'),
    first_name_contains: contains('t.first_name'),
    id: anyId('t.id'),
    id_number: is('t.id_number'),
    id_number_contains: contains('t.id_number'),
    identity_type: anyOf('t.identity_type', { single: true, enum: ['personal', 'business'] }),
    last_name: is('t.last_name'),
    last_name_contains: contains('t.last_name'),
    personal_tax_id: is('t.personal_tax_id'),
    personal_tax_id_contains: contains('t.personal_tax_id'),
    phone_number: is('t.phone_number'),
    phone_number_contains: contains('t.phone_number'),
    vat_id: is('t.vat_id'),
    vat_id_contains: contains('t.vat_id'),
  },
  sort: [
    'birth_date',
    'company_name',
    'company_reg_number',
    'contact_email',
    'created_at',
    'description',
    'external_reference_id',
    'first_name',
    'id_number',
    'last_name',
    'personal_tax_id',
    'phone_number',
    'vat_id',
    'verified',
  ],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true, delete: true },
  create: createIdentity,
  update: updateIdentity,
  delete: deleteIdentity,
});
