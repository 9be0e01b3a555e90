/** `cdr_exports` became `exports`, of outgoing calls too and compressed; they had shown their filters, as texts. */
import { plainObject } from '../../../engines/jsonapi/attributes.ts';
import { facts } from '../../../engines/jsonapi/facts.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import { type Change, onlyRows, rewritten, typeWas } from '../../../engines/jsonapi/versions/change.ts';
import { attributeWas, noMembers, whenCreated } from '../../../engines/jsonapi/versions/members.ts';

const part = (doc: string, more: object = {}) => facts('string', { write: 'create', doc, ...more });

const members = {
  year: part('The year.', { required: true }),
  month: part('The month.', { required: true }),
  did_number: part('Only calls to this number.', { pattern: '^[0-9]{1,20}$', names: 'dids' }),
};

/** One that a newer version asked for by moments is shown under the month of the first. */
function shown({ year, month, from, did_number }: Row): Row {
  const [fromYear = '', fromMonth = ''] = String(from ?? '').split('-');
  return {
    year: String(year ?? fromYear),
    month: String(month ?? Number(fromMonth)),
    ...(did_number === undefined ? {} : { did_number }),
  };
}

const filters = {
  ...plainObject('cdr_export_filters', members, {
    write: 'create',
    required: true,
    column: 't.filters',
    doc: 'Which month, and which number.',
  }),
  decode: shown,
};

const address = "case when t.status = 'completed' then t.base_url || '/cdr_exports/' || t.file_name || '.csv' end";

export const exportsOfCalls: readonly Change[] = [
  typeWas('exports', 'cdr_exports'),
  onlyRows('exports', "t.export_type = 'cdr_in'"),
  noMembers('exports', 'export_type'),
  rewritten('exports', { input: whenCreated({ export_type: 'cdr_in' }) }),
  attributeWas('exports', 'filters', () => filters),
  attributeWas('exports', 'url', (newer) => ({ ...newer, column: address })),
];
