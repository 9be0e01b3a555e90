import { facts, type ObjectType } from '../../jsonapi/facts.ts';

const time = facts('string', {
  write: 'create',
  required: true,
  format: 'YYYY-MM-DD HH:MM:SS',
  pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
});

/** What an export may be narrowed by; the last three stand in answers about exports made under older versions. */
export const exportFilters: ObjectType = {
  from: time,
  to: time,
  did_number: facts('string', { write: 'create', pattern: '^[0-9]+$' }),
  'voice_out_trunk.id': facts('string', { write: 'create', format: 'uuid' }),
  year: facts('integer'),
  month: facts('integer'),
  day: facts('integer'),
};
