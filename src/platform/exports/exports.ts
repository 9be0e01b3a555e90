/** `exports`: CDRs of a window of time as a compressed CSV file. */
import { dateTime, plainObject, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { callbackAttributes, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { exportFilters } from './export-window.ts';
import { createExport } from './exports.writes.ts';

const exportStatuses = {
  pending: 'Not begun yet.',
  processing: 'The file is being written.',
  completed: 'The file can be downloaded.',
};

export const exports = owned('exports', {
  group: 'Account',
  noun: 'export',
  summary: 'A gzip file of call records, made in the background and kept for a month.',
  attributes: {
    export_type: text({
      write: 'create',
      required: true,
      values: { cdr_in: 'Calls to your numbers.', cdr_out: 'Calls from your outbound trunks.' },
      doc: 'Which calls.',
    }),
    filters: plainObject('export_filters', exportFilters, {
      write: 'create',
      required: true,
      doc: 'Which time, number or trunk.',
    }),
    status: text({ values: exportStatuses, doc: 'How far it is.' }),
    url: text({
      nullable: true,
      format: 'uri',
      doc: 'Where the file is, once it is completed; fetch it with your key.',
      column: "case when t.status = 'completed' then t.base_url || '/exports/' || t.file_name || '.csv.gz' end",
    }),
    ...callbackAttributes,
    external_reference_id: externalReferenceId,
    created_at: dateTime({ nullable: true, doc: 'When it was created.' }),
  },
  filters: {
    id: anyId('t.id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: ['created_at', 'external_reference_id', 'status'],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('exports', { ranges: byCreation }),
  create: createExport,
  stores: ['update'],
});
