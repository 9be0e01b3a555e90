/** The attributes of exports: what a request may ask for is derived from here. */
import { dateTime, plainObject, text } from '../../../engines/jsonapi/attributes.ts';
import { callbackAttributes, externalReferenceId } from '../common-attributes.ts';
import { exportFilters } from './export-window.ts';

const exportStatuses = {
  pending: 'Not begun yet.',
  processing: 'The file is being written.',
  completed: 'The file can be downloaded.',
};

export const exportMembers = {
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
  relationships: {},
};
