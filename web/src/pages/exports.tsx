/** Exports of call records: asking for a file, its progress, and downloading it. */

import { Button, Group, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { addressOf, pathFrom } from '../api/base.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import type { Field, FieldValue } from '../parts/fields.tsx';
import { timeOrDash } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';

type Export = RecordOf<'/v3/exports'>;

const periodOf = ({ attributes: { filters } }: Export) =>
  [filters.from && `from ${filters.from}`, filters.to && `to ${filters.to}`].filter(Boolean).join(' ') || 'All';

const columns: readonly ListColumn<Export>[] = [
  column('kind', 'Calls', ({ attributes }) => (attributes.export_type === 'cdr_in' ? 'Inbound' : 'Outbound')),
  column('period', 'Period', periodOf, { secondary: true }),
  column('created', 'Asked for', ({ attributes }) => attributes.created_at ?? '', {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => timeOrDash(attributes.created_at),
  }),
  column('status', 'State', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => (
      <StateBadge word={attributes.status} good={attributes.status === 'completed' ? true : null} />
    ),
  }),
  column('file', 'File', ({ attributes }) => attributes.url ?? '', {
    cell: ({ attributes }) =>
      attributes.url && (
        <Button
          component="a"
          size="compact-sm"
          variant="default"
          href={addressOf(pathFrom('/v3/', attributes.url))}
          download
        >
          Download
        </Button>
      ),
  }),
];

export function Exports() {
  return (
    <Page title="Exports" about="Call records as compressed CSV files." actions={<NewExport />}>
      <ResourceList
        name="exports"
        path={pathWith('/v3/exports')}
        columns={columns}
        defaultSort="-created_at"
        every={3_000}
        search={{ label: 'Your own reference', parameters: (text) => ({ 'filter[external_reference_id]': text }) }}
        empty={<Empty title="No exports yet">Request one; a month of calls takes a few seconds.</Empty>}
      />
    </Page>
  );
}

const fields: readonly Field[] = [
  {
    name: 'export_type',
    label: 'Calls',
    kind: 'select',
    required: true,
    options: [
      { value: 'cdr_in', label: 'Inbound' },
      { value: 'cdr_out', label: 'Outbound' },
    ],
  },
  { name: 'from', label: 'From', kind: 'date', required: true },
  { name: 'to', label: 'To', about: 'Up to the beginning of this day.', kind: 'date', required: true },
  {
    name: 'did_number',
    label: 'Number',
    about: 'Of one number only; empty takes all.',
    when: ({ export_type }) => export_type === 'cdr_in',
  },
  { name: 'external_reference_id', label: 'Your own reference' },
];

function written({ from, to, did_number, ...rest }: Record<string, FieldValue>): Record<string, unknown> {
  const moment = (day: FieldValue | undefined) => (typeof day === 'string' ? `${day} 00:00:00` : day);
  return {
    ...rest,
    filters: {
      from: moment(from),
      to: moment(to),
      ...(did_number ? { did_number: String(did_number).replace(/\D/g, '') } : {}),
    },
  };
}

function NewExport() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Group>
      <Button onClick={open}>New export</Button>
      <Modal opened={opened} onClose={close} title="New export">
        {opened && (
          <RecordForm
            type="exports"
            route="/v3/exports"
            id={null}
            fields={fields}
            initial={{ export_type: 'cdr_in' }}
            write={written}
            submit="Make the file"
            onSaved={close}
          />
        )}
      </Modal>
    </Group>
  );
}
