/** Inbound calls that have ended. */
import type { Call } from '../api/documents.ts';
import { showNumber, showSeconds, showTime } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { CallResult } from '../parts/states.tsx';

const columns: readonly ListColumn<Call>[] = [
  {
    id: 'time',
    header: 'Time',
    sort: 'time_start',
    cell: ({ attributes }) => showTime(attributes.time_start),
    text: ({ attributes }) => attributes.time_start,
  },
  {
    id: 'from',
    header: 'From',
    cell: ({ attributes }) => showNumber(attributes.src_number),
    text: ({ attributes }) => attributes.src_number,
  },
  {
    id: 'to',
    header: 'To',
    secondary: true,
    cell: ({ attributes }) => showNumber(attributes.did_number),
    text: ({ attributes }) => attributes.did_number,
  },
  {
    id: 'duration',
    header: 'Duration',
    sort: 'duration',
    secondary: true,
    cell: ({ attributes }) => showSeconds(attributes.duration),
    text: ({ attributes }) => String(attributes.duration),
  },
  {
    id: 'result',
    header: 'Result',
    cell: ({ attributes }) => <CallResult call={attributes} />,
    text: ({ attributes }) => `${attributes.disconnect_code} ${attributes.response}`,
  },
  {
    id: 'trunk',
    header: 'Trunk',
    secondary: true,
    cell: ({ attributes }) => attributes.voice_in_trunk_name ?? 'none',
    text: ({ attributes }) => attributes.voice_in_trunk_name ?? '',
  },
  {
    id: 'call',
    header: 'Call id',
    optional: true,
    cell: ({ attributes }) => attributes.call_id,
    text: ({ attributes }) => attributes.call_id,
  },
];

export function Calls() {
  return (
    <Page title="Calls" about="Inbound calls that have ended, the newest first.">
      <ResourceList<Call>
        name="calls"
        path="/panel/v1/calls"
        columns={columns}
        defaultSort="-time_start"
        search={{
          label: 'Called number',
          parameters: (text) => ({ 'filter[did_number]': text.replace(/\D/g, '') }),
        }}
        filters={[
          {
            name: 'success',
            label: 'Result',
            options: [
              { value: 'true', label: 'Answered' },
              { value: 'false', label: 'Failed' },
            ],
          },
        ]}
        empty={
          <Empty title="No calls yet">
            Calls to your numbers are listed here as soon as they have ended. In the sandbox the call simulator makes
            one.
          </Empty>
        }
      />
    </Page>
  );
}
