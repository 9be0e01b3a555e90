/** Invoices: numbered, one for each month in which something was charged. */

import { Button } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { showDate, showMoney } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';

type Invoice = RecordOf<'/panel/v1/invoices'>;

const columns: readonly ListColumn<Invoice>[] = [
  { id: 'number', header: 'Number', sort: 'number', text: ({ attributes }) => String(attributes.number) },
  { id: 'month', header: 'Month', text: ({ attributes }) => attributes.month },
  {
    id: 'created',
    header: 'Issued',
    sort: 'created_at',
    secondary: true,
    text: ({ attributes }) => attributes.created_at,
    cell: ({ attributes }) => showDate(attributes.created_at),
  },
  {
    id: 'net',
    header: 'Net',
    secondary: true,
    text: ({ attributes }) => attributes.net,
    cell: ({ attributes }) => showMoney(attributes.net),
  },
  {
    id: 'vat',
    header: 'VAT',
    secondary: true,
    text: ({ attributes }) => attributes.vat,
    cell: ({ attributes }) => showMoney(attributes.vat),
  },
  {
    id: 'total',
    header: 'Total',
    text: ({ attributes }) => attributes.total,
    cell: ({ attributes }) => showMoney(attributes.total),
  },
  { id: 'lines', header: 'Lines', optional: true, text: ({ attributes }) => attributes.lines.join('; ') },
  {
    id: 'file',
    header: 'File',
    text: ({ id }) => addressOf(`/panel/v1/invoices/${id}.pdf`),
    cell: ({ id, attributes }) => (
      <Button
        component="a"
        size="compact-sm"
        variant="default"
        href={addressOf(`/panel/v1/invoices/${id}.pdf`)}
        download
        aria-label={`Download invoice ${attributes.number}`}
      >
        PDF
      </Button>
    ),
  },
];

export function Invoices() {
  return (
    <Page
      title="Invoices"
      about="What you were charged in a month that has ended, with VAT. Invoices are numbered and never change."
      actions={
        <ButtonLink to="/statements" variant="default">
          Statements
        </ButtonLink>
      }
    >
      <ResourceList
        name="invoices"
        path={pathWith('/panel/v1/invoices')}
        columns={columns}
        defaultSort="-number"
        search={{
          label: 'Month or number, such as 2026-05',
          parameters: (text) => (/^\d{4}-\d{2}$/.test(text) ? { 'filter[month]': text } : { 'filter[number]': text }),
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
