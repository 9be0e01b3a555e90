/** The proof of the books, invoices and refunds. */

import { Alert, Anchor, Badge, Group, Text } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showMoney, showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between } from './filters.ts';

type LedgerProof = RecordOf<'/operator/v1/ledger_verifications'>;
type Invoice = RecordOf<'/operator/v1/invoices'>;
type Refund = RecordOf<'/operator/v1/refunds'>;

/** Says whether the books add up, by the last proof. */
export function ProofStatus() {
  const read = useRead(pathWith('/operator/v1/ledger_verifications', { sort: '-created_at', 'page[size]': 1 }));
  const last = read.data?.data[0]?.attributes;
  if (read.data === undefined) return null;
  if (last === undefined) {
    return (
      <Alert color="gray" variant="light" title="The ledger has not been checked yet">
        <Text size="sm">In production it is checked every night; “trunkline ledger verify” checks it now.</Text>
      </Alert>
    );
  }
  const isClean = last.failed === 0;
  return (
    <Alert
      color={isClean ? 'teal' : 'red'}
      variant="light"
      role={isClean ? 'status' : 'alert'}
      title={isClean ? 'The books add up' : `The books are off: ${last.failed} of ${last.checks} checks failed`}
    >
      <Text size="sm">
        Proven {showTime(last.created_at)} by {last.checks} checks.{' '}
        {!isClean && `Failed: ${last.failed_checks.join(', ')}. Stop what charges until it is understood. `}
        <RouteLink to="/operator/proofs">All proofs</RouteLink>
      </Text>
    </Alert>
  );
}

const proofColumns: readonly ListColumn<LedgerProof>[] = [
  timeColumn('created', 'Proven', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  column('result', 'Result', ({ attributes }) => (attributes.failed === 0 ? 'clean' : 'off'), {
    cell: ({ attributes }) => (
      <Badge variant="light" color={attributes.failed === 0 ? 'teal' : 'red'}>
        {attributes.failed === 0 ? 'clean' : `${attributes.failed} failed`}
      </Badge>
    ),
  }),
  column('checks', 'Checks', ({ attributes }) => String(attributes.checks), { isNumber: true, secondary: true }),
  column('which', 'Which failed', ({ attributes }) => attributes.failed_checks.join(', ')),
  column('took', 'Took', ({ attributes }) => `${attributes.duration_ms} ms`, { isNumber: true, secondary: true }),
];

const clean = [
  { value: 'true', label: 'Clean' },
  { value: 'false', label: 'Off' },
];

export function Proofs() {
  return (
    <Page
      title="Ledger checks"
      about="All checks of the ledger, run every night in production: movements sum to zero, balances are the sums of their entries, orders and charges match."
      actions={<RouteLink to="/operator/ledger">Ledger</RouteLink>}
    >
      <ProofStatus />
      <ResourceList
        name="proofs"
        path={pathWith('/operator/v1/ledger_verifications')}
        columns={proofColumns}
        defaultSort="-created_at"
        search={{ label: 'A check that failed', parameters: (text) => ({ 'filter[failed_check_contains]': text }) }}
        filters={[{ name: 'is_clean', label: 'Result', options: clean }, ...between('created_at')]}
        empty={<Empty title="No check yet">The first one runs in the coming night.</Empty>}
      />
    </Page>
  );
}

const invoiceColumns: readonly ListColumn<Invoice>[] = [
  column('number', 'Number', ({ attributes }) => attributes.reference),
  column('month', 'Month', ({ attributes }) => attributes.month),
  column('customer', 'Customer', ({ attributes }) => attributes.customer, {
    secondary: true,
    cell: ({ attributes, relationships }) => {
      const link = relationships.account.data;
      return link ? (
        <RouteLink to="/operator/accounts/$id" params={{ id: link.id }}>
          {attributes.customer}
        </RouteLink>
      ) : (
        attributes.customer
      );
    },
  }),
  column('net', 'Net', ({ attributes }) => attributes.net, {
    isNumber: true,
    secondary: true,
    cell: ({ attributes }) => showMoney(attributes.net),
  }),
  column('vat', 'VAT', ({ attributes }) => attributes.vat, {
    isNumber: true,
    secondary: true,
    cell: ({ attributes }) => showMoney(attributes.vat),
  }),
  column('total', 'Total', ({ attributes }) => attributes.total, {
    isNumber: true,
    cell: ({ attributes }) => showMoney(attributes.total),
  }),
  timeColumn('created', 'Issued', ({ attributes }) => attributes.created_at, { sort: 'created_at', optional: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
  column('files', 'Files', () => '', {
    cell: ({ id, attributes }) => (
      <Group gap="xs" wrap="nowrap">
        {(['pdf', 'xml'] as const).map((form) => (
          <Anchor
            key={form}
            inherit
            href={addressOf(`/operator/v1/invoices/${id}.${form}`)}
            download
            aria-label={`${attributes.reference} as ${form.toUpperCase()}`}
          >
            {form.toUpperCase()}
          </Anchor>
        ))}
      </Group>
    ),
  }),
  column('lines', 'Lines', ({ attributes }) => attributes.lines.join('; '), { optional: true }),
];

export function Invoices() {
  return (
    <Page
      title="Invoices"
      about="Invoices and credit notes, numbered without gaps and never changed. Issue one on the customer's statement page, for a month that has ended."
    >
      <ResourceList
        name="invoices"
        path={pathWith('/operator/v1/invoices')}
        columns={invoiceColumns}
        defaultSort="-created_at"
        search={{
          label: 'Number (INV-000012) or month (2026-05)',
          parameters: (text): Record<string, string> => {
            if (/^\d{4}-\d\d$/.test(text)) return { 'filter[month]': text };
            return { 'filter[reference]': text };
          },
        }}
        filters={[accountFilter]}
        empty={
          <Empty title="No invoices yet" action={<RouteLink to="/operator/accounts">Choose a customer</RouteLink>}>
            Open a customer's statement of a month that has ended, and issue its invoice there.
          </Empty>
        }
      />
    </Page>
  );
}

const refundColumns: readonly ListColumn<Refund>[] = [
  timeColumn('created', 'Booked', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  accountColumn(),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    isNumber: true,
    sort: 'amount',
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('vat', 'VAT in it', ({ attributes }) => attributes.vat, {
    optional: true,
    cell: ({ attributes }) => showMoney(attributes.vat),
  }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason, { secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { secondary: true }),
  column('item', 'Item', ({ attributes }) => String(attributes.position), { optional: true }),
];

export function Refunds() {
  return (
    <Page title="Refunds" about="Refunds of completed orders. Issue one on the order's page.">
      <ResourceList
        name="refunds"
        path={pathWith('/operator/v1/refunds')}
        fixed={{ include: 'account' }}
        columns={refundColumns}
        defaultSort="-created_at"
        search={{ label: 'Part of the reason', parameters: (text) => ({ 'filter[reason_contains]': text }) }}
        filters={[
          ...between('created_at'),
          accountFilter,
          { name: 'order.id', label: 'Order', options: [], fromLinks: true },
        ]}
        empty={
          <Empty title="No refunds yet" action={<RouteLink to="/operator/orders">Choose an order</RouteLink>}>
            Money of a completed order is given back on the order's page, all of an item or a part of it.
          </Empty>
        }
      />
    </Page>
  );
}
