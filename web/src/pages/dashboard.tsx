/** The first page: balance, numbers, what needs attention, recent orders and calls. */

import { Alert, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Many } from '../api/documents.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { showMoney, showNumber, showSeconds, showTime } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { useNotifications, wordsOf } from '../parts/notifications.tsx';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { CallResult, OrderStatus } from '../parts/states.tsx';

export function Dashboard() {
  const balance = useRead(pathWith('/v3/balance'));
  const numbers = useRead(pathWith('/v3/dids', { 'page[size]': 1 }));
  const orders = useRead(pathWith('/v3/orders', { sort: '-created_at', 'page[size]': 5 }));
  const calls = useRead(pathWith('/panel/v1/calls', { sort: '-time_start', 'page[size]': 5 }));
  const failed = [balance, numbers, orders, calls].find(({ error }) => error !== null);
  return (
    <Page title="Dashboard" actions={<GuideLink />}>
      {failed?.error && <Failure error={failed.error} retry={() => failed.refetch()} />}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Figure
          label="Balance"
          value={balance.data && showMoney(balance.data.data.attributes.balance)}
          note={balance.data && `${showMoney(balance.data.data.attributes.total_balance)} can be spent`}
        />
        <Figure label="Numbers" value={total(numbers.data)} note={<RouteLink to="/numbers">All numbers</RouteLink>} />
        <Figure label="Orders" value={total(orders.data)} note={<RouteLink to="/orders">All orders</RouteLink>} />
        <Figure label="Inbound calls" value={total(calls.data)} note={<RouteLink to="/calls">All calls</RouteLink>} />
      </SimpleGrid>
      <Attention />
      <Charts />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Recent title="Recent orders" isPending={orders.isPending}>
          {orders.data?.data.length === 0 ? (
            <Empty title="No orders yet" action={<ButtonLink to="/buy">Buy your first number</ButtonLink>} />
          ) : (
            <Table aria-label="Recent orders" verticalSpacing="xs" horizontalSpacing="xs" className="compact">
              <Table.Tbody>
                {orders.data?.data.map(({ id, attributes }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <RouteLink to="/orders/$id" params={{ id }}>
                        {attributes.reference}
                      </RouteLink>
                    </Table.Td>
                    <Table.Td visibleFrom="xs">{showTime(attributes.created_at)}</Table.Td>
                    <Table.Td ta="right">{showMoney(attributes.amount)}</Table.Td>
                    <Table.Td ta="right">
                      <OrderStatus status={attributes.status} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Recent>
        <Recent title="Recent calls" isPending={calls.isPending}>
          {calls.data?.data.length === 0 ? (
            <Empty title="No calls yet">Calls to your numbers are listed here as soon as they have ended.</Empty>
          ) : (
            <Table aria-label="Recent calls" verticalSpacing="xs" horizontalSpacing="xs" className="compact">
              <Table.Tbody>
                {calls.data?.data.map(({ id, attributes }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <RouteLink to="/calls/$id" params={{ id }}>
                        {showNumber(attributes.src_number)}
                      </RouteLink>
                    </Table.Td>
                    <Table.Td visibleFrom="xs">{showNumber(attributes.did_number)}</Table.Td>
                    <Table.Td ta="right">{showSeconds(attributes.duration)}</Table.Td>
                    <Table.Td ta="right">
                      <CallResult call={attributes} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Recent>
      </SimpleGrid>
      {total(numbers.data) === '0' && <Start />}
    </Page>
  );
}

const total = (document: Many<unknown> | undefined): string | undefined =>
  document && (document.meta?.total_records ?? document.data.length).toLocaleString('en-GB');

function Figure({ label, value, note }: { label: string; value: string | undefined; note: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value ?? '…'}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {note}
      </Text>
    </Paper>
  );
}

/** Calls and verifications of the last 30 days. */
function Charts() {
  const read = useRead(pathWith('/panel/v1/statistics', { days: 30 }));
  const days = read.data?.days ?? [];
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Paper withBorder p="md">
        <BarChart
          label="Inbound calls"
          days={days.map(({ day, answered, failed }) => ({ day, good: answered, bad: failed }))}
          words={['answered', 'failed']}
        />
      </Paper>
      <Paper withBorder p="md">
        <BarChart
          label="Verifications"
          days={days.map(({ day, verifications, verified }) => ({
            day,
            good: verified,
            bad: verifications - verified,
          }))}
          words={['verified', 'not verified']}
        />
      </Paper>
    </SimpleGrid>
  );
}

/** The newest of what needs attention; the rest is on a page of its own. */
function Attention() {
  const notifications = useNotifications() ?? [];
  if (notifications.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="Needs attention">
      <Stack gap={4}>
        {notifications.slice(0, mostShown).map((notification) => {
          const words = wordsOf(notification);
          return (
            words && (
              <RouteLink key={notification.key} to={words.to} params={words.params ?? {}} search={words.search ?? {}}>
                {words.title}
              </RouteLink>
            )
          );
        })}
        {notifications.length > mostShown && (
          <RouteLink to="/notifications">{`${notifications.length - mostShown} more`}</RouteLink>
        )}
      </Stack>
    </Alert>
  );
}

const mostShown = 4;

function Recent({ title, isPending, children }: { title: string; isPending: boolean; children: ReactNode }) {
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        {title}
      </Title>
      {isPending ? <Waiting /> : children}
    </Paper>
  );
}

/** In the sandbox everybody may take the tour again. */
function GuideLink() {
  const { data: session } = useSession();
  if (session?.environment !== 'sandbox') return null;
  return (
    <ButtonLink to="/start" variant="default">
      Guided first minute
    </ButtonLink>
  );
}

function Start() {
  return (
    <Paper withBorder p="lg">
      <Title order={2} size="h4">
        Start here
      </Title>
      <Text size="sm" c="dimmed" my="xs">
        Buy a number, say where its calls go, and call it.
      </Text>
      <Group>
        <ButtonLink to="/buy">Buy a number</ButtonLink>
        <ButtonLink to="/trunks/new" variant="default">
          Add a trunk
        </ButtonLink>
      </Group>
    </Paper>
  );
}
