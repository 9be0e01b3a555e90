/** Orders, and one order with its progress. */

import { Alert, Group, Loader, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Order } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { itemWords, onDate, showMoney, showNumber, showTime, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { mayStay } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { OrderStatus } from '../parts/states.tsx';

const columns: readonly ListColumn<Order>[] = [
  column('reference', 'Reference', ({ attributes }) => attributes.reference, {
    sort: 'reference',
    cell: ({ id, attributes }) => (
      <RouteLink to="/orders/$id" params={{ id }}>
        {attributes.reference}
      </RouteLink>
    ),
  }),
  column('created', 'Ordered', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('description', 'What', ({ attributes }) => attributes.description, {
    secondary: true,
    cell: ({ attributes }) => attributes.description,
  }),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    sort: 'amount',
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    sort: 'status',
    cell: ({ attributes }) => <OrderStatus status={attributes.status} />,
  }),
];

const statuses = ['pending', 'completed', 'canceled'].map((value) => ({ value, label: showWords(value) }));

export function Orders() {
  return (
    <Page title="Orders" about="What you have bought, and what renewals have cost.">
      <ResourceList
        name="orders"
        path={pathWith('/v3/orders')}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the reference', type: 'orders' }}
        filters={[{ name: 'status', label: 'Status', options: statuses }]}
        empty={<Empty title="No orders yet" action={<ButtonLink to="/buy">Buy numbers</ButtonLink>} />}
      />
    </Page>
  );
}

/** Without live events. */
const pollMs = 1_000;

export function OrderPage() {
  const { id } = useParams({ from: '/orders/$id' });
  const path = pathWith('/v3/orders/{id}', { id });
  const first = useRead(path);
  const isPending = first.data?.data.attributes.status === 'pending';
  const fallback = useFallback(pollMs);
  const read = useRead(path, isPending && fallback);
  const order = read.data?.data.id === id ? read.data.data : undefined;
  const numbers = useRead(
    order && order.attributes.status === 'completed'
      ? pathWith('/v3/dids', { 'filter[order.id]': id, 'page[size]': 25 })
      : null,
  );
  if (read.error && !(order && mayStay(read.error))) {
    return (
      <Page title="Order">
        <Failure error={read.error} />
        <RouteLink to="/orders">All orders</RouteLink>
      </Page>
    );
  }
  if (order === undefined) return <Waiting />;
  const { attributes } = order;
  return (
    <Page
      title={`Order ${attributes.reference}`}
      about={`${attributes.description} · ${showTime(attributes.created_at)}`}
      actions={<OrderStatus status={attributes.status} />}
    >
      <div aria-live="polite">
        {attributes.status === 'pending' && (
          <Alert color="yellow" variant="light" title="The order is being fulfilled">
            <Group gap="xs">
              <Loader size="xs" />
              <Text size="sm">The numbers appear here as soon as they are yours.</Text>
            </Group>
          </Alert>
        )}
        {attributes.status === 'canceled' && (
          <Alert color="gray" variant="light" title="The order was cancelled">
            What was charged for it has been given back.
          </Alert>
        )}
        {attributes.status === 'completed' && numbers.data && numbers.data.data.length > 0 && (
          <Alert color="teal" variant="light" title="The numbers are yours">
            <Stack gap={4}>
              {numbers.data.data.map((did) => (
                <RouteLink key={did.id} to="/numbers/$id" params={{ id: did.id }}>
                  {showNumber(did.attributes.number)}
                </RouteLink>
              ))}
              {(numbers.data.meta?.total_records ?? 0) > numbers.data.data.length && (
                <RouteLink to="/numbers" search={{ 'order.id': id }}>
                  {`All ${numbers.data.meta?.total_records?.toLocaleString('en-GB')} numbers of the order`}
                </RouteLink>
              )}
              <Text size="sm">Open one to say where it rings.</Text>
            </Stack>
          </Alert>
        )}
      </div>
      <Paper withBorder>
        <Group justify="space-between" p="md" pb="xs">
          <Title order={2} size="h5">
            Items
          </Title>
          <Text fw={600}>{showMoney(attributes.amount)}</Text>
        </Group>
        <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
          <Table aria-label="Items" verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th ta="right">How many</Table.Th>
                <Table.Th ta="right">Once</Table.Th>
                <Table.Th ta="right">Period</Table.Th>
                <Table.Th visibleFrom="sm">Paid for</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {attributes.items.map((item, index) => (
                <Table.Tr key={`${item.type} ${String(index)}`}>
                  <Table.Td>{itemWords[item.type] ?? 'Other'}</Table.Td>
                  <Table.Td ta="right">{item.attributes.qty}</Table.Td>
                  <Table.Td ta="right">{showMoney(item.attributes.nrc)}</Table.Td>
                  <Table.Td ta="right">{showMoney(item.attributes.mrc)}</Table.Td>
                  <Table.Td visibleFrom="sm">{periodOf(item.attributes)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Page>
  );
}

function periodOf({ billed_from: from, billed_to: to }: Order['attributes']['items'][number]['attributes']): string {
  if (from === null && to === null) return 'Paid once';
  return `${onDate('from', from)}${onDate('to', to)}`.trim();
}
