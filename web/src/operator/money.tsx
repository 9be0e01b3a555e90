/** Orders, the ledger and adjustments of all customers. */

import { Badge } from '@mantine/core';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showMoney } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { OrderStatus } from '../parts/states.tsx';
import { ProofStatus } from './books.tsx';
import { accountColumn } from './columns.tsx';
import type { Adjustment, LedgerEntry, OperatorOrder } from './documents.ts';
import { accountFilter, between, choices } from './filters.ts';

const orderColumns: readonly ListColumn<OperatorOrder>[] = [
  column('reference', 'Reference', ({ attributes }) => attributes.reference, {
    oneLine: true,
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/orders/$id" params={{ id }}>
        {attributes.reference}
      </RouteLink>
    ),
  }),
  accountColumn(),
  column('description', 'What', ({ attributes }) => attributes.description, { secondary: true }),
  timeColumn('created', 'Ordered', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  timeColumn('finished', 'Finished', ({ attributes }) => attributes.finished_at, { optional: true }),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    isNumber: true,
    sort: 'amount',
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('refunded', 'Refunded', ({ attributes }) => attributes.refunded, {
    isNumber: true,
    optional: true,
    cell: ({ attributes }) => showMoney(attributes.refunded),
  }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => <OrderStatus status={attributes.status} />,
  }),
];

export function Orders() {
  return (
    <Page title="Orders" about="What customers bought, and every other charge they see.">
      <ResourceList
        name="orders"
        path={pathWith('/operator/v1/orders')}
        fixed={{ include: 'account' }}
        columns={orderColumns}
        defaultSort="-created_at"
        search={{
          label: 'Part of a reference',
          parameters: (text): Record<string, string> =>
            text.length < 3 ? {} : { 'filter[reference_contains]': text.toUpperCase() },
        }}
        filters={[
          { name: 'status', label: 'Status', options: choices(['pending', 'completed', 'canceled']) },
          ...between('created_at'),
          accountFilter,
        ]}
        empty={<Empty title="No orders yet">What customers buy appears here at once.</Empty>}
      />
    </Page>
  );
}

const ledgerColumns: readonly ListColumn<LedgerEntry>[] = [
  timeColumn('created', 'Booked', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  column('movement', 'Movement', ({ attributes }) => String(attributes.movement), { optional: true }),
  accountColumn(),
  column('ledger', 'Ledger', ({ attributes }) => attributes.ledger),
  column('cause', 'Cause', ({ attributes }) => attributes.cause.replaceAll('_', ' '), { secondary: true }),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    isNumber: true,
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('reference', 'Reference', ({ attributes }) => attributes.reference, { optional: true }),
];

/** The form of a UUID. */
const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

const ledgers = ['customer', 'holds', 'revenue', 'vat', 'refunds', 'funding'];

export function Ledger() {
  return (
    <Page
      title="Ledger"
      about="Double entry: the sides of each movement sum to zero, and the database refuses any other."
      actions={<RouteLink to="/operator/adjustments">Adjustments</RouteLink>}
    >
      <ProofStatus />
      <ResourceList
        name="ledger entries"
        path={pathWith('/operator/v1/ledger_entries')}
        fixed={{ include: 'account' }}
        columns={ledgerColumns}
        defaultSort="-created_at"
        search={{
          label: 'Order, or id of what was paid',
          parameters: (text): Record<string, string> =>
            isId.test(text) ? { 'filter[reference]': text } : { 'filter[order.reference]': text.toUpperCase() },
        }}
        filters={[
          { name: 'ledger', label: 'Ledger', options: choices(ledgers) },
          ...between('created_at'),
          accountFilter,
        ]}
        empty={<Empty title="No movements yet">The first top-up or order appears here.</Empty>}
      />
    </Page>
  );
}

const adjustmentColumns: readonly ListColumn<Adjustment>[] = [
  timeColumn('created', 'Booked', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  accountColumn(),
  column('kind', 'Direction', ({ attributes }) => attributes.kind, {
    cell: ({ attributes }) => (
      <Badge variant="light" color={attributes.kind === 'credit' ? 'teal' : 'orange'}>
        {attributes.kind}
      </Badge>
    ),
  }),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    isNumber: true,
    sort: 'amount',
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason, { secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { secondary: true }),
];

export function Adjustments() {
  return (
    <Page title="Adjustments" about="Corrections of balances. Make one on the customer's page.">
      <ResourceList
        name="adjustments"
        path={pathWith('/operator/v1/adjustments')}
        fixed={{ include: 'account' }}
        columns={adjustmentColumns}
        defaultSort="-created_at"
        search={{ label: 'Part of the reason', parameters: (text) => ({ 'filter[reason_contains]': text }) }}
        filters={[
          { name: 'kind', label: 'Direction', options: choices(['credit', 'debit']) },
          ...between('created_at'),
          accountFilter,
        ]}
        empty={
          <Empty title="No adjustments yet" action={<RouteLink to="/operator/accounts">Choose a customer</RouteLink>}>
            A payment, a goodwill or a correction is booked with “Adjust balance” on the customer's page.
          </Empty>
        }
      />
    </Page>
  );
}
