/** `identities`: a person or company that numbers are registered to. */

import { isVatNumberOf } from '../../../business/billing/vat-numbers.ts';
import { boolean, date, freeText, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { type ErrorObject, invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, contains, type Filter } from '../../../engines/jsonapi/filters.ts';
import { dayOf } from '../../../engines/jsonapi/parse-value.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import type { PlatformContext } from '../context.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { deleteIdentity } from './identities.writes.ts';

const optional = { nullable: true, write: 'both' } as const;
const ofCompany = { ...optional, forbiddenIf: { identity_type: 'personal' } } as const;
const identityTypes = { personal: 'A person.', business: 'A company, with the person who represents it.' };
const is = (column: string) => anyOf(column, { single: true });

/** For each text column a filter for the whole value, and one for a part of it (`<name>_contains`). */
export const textFilters = (...columns: readonly string[]): Record<string, Filter> =>
  Object.fromEntries(
    columns.flatMap((name) => [
      [name, is(`t.${name}`)],
      [`${name}_contains`, contains(`t.${name}`)],
    ]),
  );

const names = ['first_name', 'last_name', 'phone_number', 'company_name'];
const registrationNumbers = ['company_reg_number', 'vat_id', 'id_number', 'personal_tax_id'];

export const identities = owned('identities', {
  group: 'Regulation',
  noun: 'identity',
  summary: 'A person or company that numbers are registered to.',
  attributes: {
    identity_type: text({ values: identityTypes, write: 'create', required: true, doc: 'A person or a company.' }),
    first_name: text({ write: 'both', required: true, doc: 'The first name, of a company’s representative too.' }),
    last_name: text({ write: 'both', required: true, doc: 'The last name, likewise.' }),
    phone_number: text({
      pattern: '^[0-9]+$',
      patternOfRequests: true,
      write: 'both',
      required: true,
      doc: 'Where to reach them; digits only.',
    }),
    contact_email: text({ ...optional, format: 'email', doc: 'Where to write to.' }),
    company_name: text({ ...ofCompany, requiredIf: { identity_type: 'business' }, doc: 'The registered name.' }),
    company_reg_number: text({ ...ofCompany, doc: 'The number in the company register.' }),
    vat_id: text({ ...ofCompany, doc: 'The VAT number; checked by the rules of `country`, with its check digits.' }),
    id_number: text({ ...optional, doc: 'The number of the passport or identity card.' }),
    personal_tax_id: text({ ...optional, doc: 'The tax number of the person.' }),
    // Contract: a text that is not a date is stored as null.
    birth_date: { ...date({ ...optional, doc: 'The day of birth.' }), accept: dayOf },
    description: freeText({ ...optional, doc: 'Your own note.' }),
    external_reference_id: externalReferenceId,
    created_at: createdAt,
    verified: boolean({
      default: false,
      column: 'exists (select from dids d where d.identity_id = t.id)',
      doc: 'Whether a number is registered to it.',
    }),
  },
  relationships: {
    country: toOne('countries', { ...optional, doc: 'The country of residence, or of the company.' }),
    birth_country: toOne('countries', { ...optional, doc: 'The country of birth.' }),
    proofs: toMany('proofs', { via: 'identity_id', doc: 'Documents that prove it.' }),
    addresses: toMany('addresses', { via: 'identity_id', doc: 'Its addresses.' }),
    permanent_documents: toMany('permanent_supporting_documents', {
      via: 'identity_id',
      doc: 'Signed forms that stay with it.',
    }),
  },
  filters: {
    birth_date: { ...is('t.birth_date::text'), parse: (text) => (dayOf(text) === text ? [text] : null) },
    ...textFilters(...names, ...registrationNumbers, 'description'),
    'country.id': anyId('t.country_id'),
    external_reference_id: is('t.external_reference_id'),
    id: anyId('t.id'),
    identity_type: anyOf('t.identity_type', { single: true, values: identityTypes }),
  },
  sort: [
    ...names,
    ...registrationNumbers,
    'birth_date',
    'contact_email',
    'created_at',
    'description',
    'external_reference_id',
    'verified',
  ],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('identities', { ranges: byCreation }),
  // A hidden identity was deleted but must stay on record: only resources that link to it still show it.
  direct: () => 't.hidden_at is null',
  check: checkVatNumber,
  stores: ['create', 'update'],
  delete: deleteIdentity,
});

/** Checks a number that is new, or new to its country: one that is stored keeps nobody from changing the rest. */
async function checkVatNumber(
  { query }: PlatformContext,
  { identity_type, vat_id, country }: Row,
  before: Row | null,
): Promise<ErrorObject[]> {
  if (identity_type !== 'business' || typeof vat_id !== 'string') return [];
  if (before !== null && before.vat_id === vat_id && before.country === country) return [];
  if (typeof country !== 'string') return [invalid.relationship('country', messages.blank)];
  const [found] = await query('select iso from countries where id = $1', [country]);
  return (await isVatNumberOf(vat_id, String(found?.iso))) ? [] : [invalid.attribute('vat_id', messages.invalid)];
}
