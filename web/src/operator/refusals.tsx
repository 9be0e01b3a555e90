/** Calls that were refused, counted by day, rule, source and number, with the first request of each. */

import { Code, Text } from '@mantine/core';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showNumber } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter } from './filters.ts';

type Refusal = RecordOf<'/operator/v1/call_refusals'>;

const columns: readonly ListColumn<Refusal>[] = [
  timeColumn('last', 'Last seen', ({ attributes }) => attributes.last_seen, { sort: 'last_seen', secondary: true }),
  column('count', 'Calls', ({ attributes }) => String(attributes.count), { sort: 'count' }),
  column('reason', 'Why', ({ attributes }) => attributes.disconnect_reason, {
    cell: ({ attributes }) => (
      <Text size="sm">
        {attributes.disconnect_reason}
        <Text span size="xs" c="dimmed" display="block">
          {attributes.disconnect_code} · {attributes.rule}
        </Text>
      </Text>
    ),
  }),
  column('source', 'From', ({ attributes }) => attributes.source, {
    secondary: true,
    cell: ({ attributes }) => attributes.source || 'simulated',
  }),
  column('numbers', 'Last call', ({ attributes }) => `${attributes.src_number} → ${attributes.dst_number}`, {
    cell: ({ attributes }) => `${showNumber(attributes.src_number)} → ${showNumber(attributes.dst_number)}`,
  }),
  accountColumn(),
  column('carrier', 'Carrier', ({ attributes }) => attributes.carrier_name ?? '', { optional: true }),
  column('sample', 'First request', ({ attributes }) => attributes.sample ?? '', {
    optional: true,
    cell: ({ attributes }) =>
      attributes.sample === null ? (
        '–'
      ) : (
        <Code block tabIndex={0} mah={160} maw={420}>
          {attributes.sample}
        </Code>
      ),
  }),
];

const directions = [
  { value: 'in', label: 'Inbound' },
  { value: 'out', label: 'Outbound' },
];

export function Refusals() {
  return (
    <Page
      title="Refused calls"
      about="Calls that were turned away, counted for each day, rule, source and number. Many from one source are an attack or a wrong setting."
    >
      <ResourceList
        name="refused calls"
        path={pathWith('/operator/v1/call_refusals')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-last_seen"
        search={{
          label: 'A whole number',
          parameters: (text) => ({ 'filter[number]': text.replace(/\D/g, '') }),
        }}
        filters={[{ name: 'direction', label: 'Direction', options: directions }, accountFilter]}
        empty={<Empty title="No call was refused">Calls that were turned away are counted here.</Empty>}
      />
    </Page>
  );
}
