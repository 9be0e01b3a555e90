import { facts, type ObjectType } from '../../jsonapi/facts.ts';

const time = (doc: string) =>
  facts('string', {
    write: 'create',
    required: true,
    format: 'YYYY-MM-DD HH:MM:SS',
    pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
    doc,
  });

/** What an export may be narrowed by; the last three stand in answers about exports made under older versions. */
export const exportFilters: ObjectType = {
  from: time('The first moment, UTC; within this month and the two before.'),
  to: time('The moment it ends before, UTC.'),
  did_number: facts('string', { write: 'create', pattern: '^[0-9]+$', doc: 'Only calls to this number; `cdr_in`.' }),
  'voice_out_trunk.id': facts('string', {
    write: 'create',
    format: 'uuid',
    doc: 'Only calls of this trunk; `cdr_out`.',
  }),
  year: facts('integer', { doc: 'The year, of an export made under an older version.' }),
  month: facts('integer', { doc: 'The month, likewise.' }),
  day: facts('integer', { doc: 'The day, likewise.' }),
};
