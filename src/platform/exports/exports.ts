import { dateTime, plainObject, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { updateRow } from '../../jsonapi/write.ts';
import { owned } from '../declare.ts';
import { createExport } from './create-export.ts';
import { exportFilters } from './export-filters.ts';

/** A file of call records, made in the background. */
export const exports = owned('exports', {
  group: 'Account',
  summary: 'A gzip file of call records, made in the background and kept for a month.',
  attributes: {
    export_type: text({ write: 'create', required: true, enum: ['cdr_in', 'cdr_out'] }),
    filters: plainObject('export_filters', exportFilters, { write: 'create', required: true }),
    status: text({ enum: ['pending', 'processing', 'completed'] }),
    url: text({
      nullable: true,
      format: 'uri',
      column: "case when t.status = 'completed' then t.base_url || '/exports/' || t.file_name || '.csv.gz' end",
    }),
    callback_url: text({ nullable: true, write: 'create', format: 'uri', togetherWith: 'callback_method' }),
    callback_method: text({
      nullable: true,
      write: 'create',
      enum: ['get', 'post'],
      togetherWith: 'callback_url',
    }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    created_at: dateTime({ nullable: true }),
  },
  filters: {
    id: anyId('t.id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: ['created_at', 'external_reference_id', 'status'],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true },
  create: createExport,
  update: (context, id, input) => updateRow(context, { table: 'exports' }, id, input.attributes),
  notes: { download: { path: '/exports/{filename}.csv.gz', status: 200, media_type: 'application/gzip' } },
});
