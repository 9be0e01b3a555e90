/** Invoices and credit notes: numbered, for each month in which something was charged or given back. */

import { Button, Group } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { showDate, showMoney, showWords } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';

type Invoice = RecordOf<'/panel/v1/invoices'>;

const columns: readonly ListColumn<Invoice>[] = [
  column('number', 'Number', ({ attributes }) => attributes.reference),
  column('kind', 'Kind', ({ attributes }) => showWords(attributes.kind), { secondary: true }),
  column('month', 'Month', ({ attributes }) => attributes.month),
  column('created', 'Issued', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showDate(attributes.created_at),
  }),
  column('net', 'Net', ({ attributes }) => attributes.net, {
    secondary: true,
    cell: ({ attributes }) => showMoney(attributes.net),
  }),
  column('vat', 'VAT', ({ attributes }) => attributes.vat, {
    secondary: true,
    cell: ({ attributes }) => showMoney(attributes.vat),
  }),
  column('total', 'Total', ({ attributes }) => attributes.total, {
    cell: ({ attributes }) => showMoney(attributes.total),
  }),
  column('lines', 'Lines', ({ attributes }) => attributes.lines.join('; '), { optional: true }),
  column('file', 'Files', ({ id }) => addressOf(`/panel/v1/invoices/${id}.pdf`), {
    cell: ({ id, attributes }) => (
      <Group gap="xs" wrap="nowrap">
        {(['pdf', 'xml'] as const).map((form) => (
          <Button
            key={form}
            component="a"
            size="compact-sm"
            variant="default"
            href={addressOf(`/panel/v1/invoices/${id}.${form}`)}
            download
            aria-label={`Download ${attributes.reference} as ${form.toUpperCase()}`}
          >
            {form.toUpperCase()}
          </Button>
        ))}
      </Group>
    ),
  }),
];

export function Invoices() {
  return (
    <Page
      title="Invoices"
      about="What you were charged in a month that has ended, and what was given back. XML is the e-invoice (EN 16931)."
      actions={
        <>
          <ButtonLink to="/billing" variant="default">
            Billing details
          </ButtonLink>
          <ButtonLink to="/statements" variant="default">
            Statements
          </ButtonLink>
        </>
      }
    >
      <ResourceList
        name="invoices"
        path={pathWith('/panel/v1/invoices')}
        columns={columns}
        defaultSort="-created_at"
        search={{
          label: 'Month or number, such as 2026-05 or INV-000012',
          parameters: (text) =>
            /^\d{4}-\d{2}$/.test(text) ? { 'filter[month]': text } : { 'filter[reference]': text },
        }}
        empty={
          <Empty title="No invoices yet" action={<ButtonLink to="/statements">Statements</ButtonLink>}>
            The operator issues one after the end of a month in which something was charged.
          </Empty>
        }
      />
    </Page>
  );
}
