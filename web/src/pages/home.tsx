/** The first page: what needs you now, how calls and verifications go, and what happened. */

import { Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Many } from '../api/documents.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { LinesDrawing, SheetsDrawing } from '../parts/drawings.tsx';
import { showMoney, showNumber, showSeconds } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { Empty, Failure, Page, Rows } from '../parts/page.tsx';
import { CallResult, OrderStatus } from '../parts/states.tsx';
import { Ago } from '../parts/when.tsx';
import { Attention } from './attention.tsx';

/** Of the charts; as many before them are what they are compared with. */
const daysShown = 30;

export function Home() {
  const balance = useRead(pathWith('/v3/balance'));
  const numbers = useRead(pathWith('/v3/dids', { 'page[size]': 1 }));
  const statistics = useRead(pathWith('/panel/v1/statistics', { days: 2 * daysShown }));
  const orders = useRead(pathWith('/v3/orders', { sort: '-created_at', 'page[size]': 5 }));
  const calls = useRead(pathWith('/panel/v1/calls', { sort: '-time_start', 'page[size]': 5 }));
  const failed = [balance, numbers, statistics, orders, calls].find(({ error }) => error !== null);
  return (
    <Page title="Home" actions={<GuideLink />}>
      {failed?.error && <Failure error={failed.error} retry={() => failed.refetch()} />}
      <Attention />
      {total(numbers.data) === '0' && <Start />}
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
      <Charts days={statistics.data?.days ?? []} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Recent title="Recent calls" isPending={calls.isPending}>
          {calls.data?.data.length === 0 ? (
            <Empty title="No calls yet" drawing={<LinesDrawing />}>
              Calls to your numbers are listed here as soon as they have ended.
            </Empty>
          ) : (
            <Table aria-label="Recent calls" horizontalSpacing="xs" className="compact">
              <Table.Tbody>
                {calls.data?.data.map(({ id, attributes }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <RouteLink to="/calls/$id" params={{ id }}>
                        {showNumber(attributes.src_number)}
                      </RouteLink>
                    </Table.Td>
                    <Table.Td visibleFrom="xs">{showNumber(attributes.did_number)}</Table.Td>
                    <Table.Td visibleFrom="xs" c="dimmed">
                      <Ago iso={attributes.time_start} />
                    </Table.Td>
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
        <Recent title="Recent orders" isPending={orders.isPending}>
          {orders.data?.data.length === 0 ? (
            <Empty
              title="No orders yet"
              drawing={<SheetsDrawing />}
              action={<ButtonLink to="/buy">Buy your first number</ButtonLink>}
            />
          ) : (
            <Table aria-label="Recent orders" horizontalSpacing="xs" className="compact">
              <Table.Tbody>
                {orders.data?.data.map(({ id, attributes }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <RouteLink to="/orders/$id" params={{ id }}>
                        {attributes.reference}
                      </RouteLink>
                    </Table.Td>
                    <Table.Td visibleFrom="xs" c="dimmed">
                      <Ago iso={attributes.created_at} />
                    </Table.Td>
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
      </SimpleGrid>
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
      <Text fz={22} fw={620} lts="-0.02em">
        {value ?? '…'}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {note}
      </Text>
    </Paper>
  );
}

/** Calls and verifications of the last days, beside those before. */
function Charts({ days }: Pick<ReadOf<'/panel/v1/statistics'>, 'days'>) {
  const calls = days.map(({ day, answered, failed }) => ({ day, good: answered, bad: failed }));
  const codes = days.map(({ day, verifications, verified }) => ({
    day,
    good: verified,
    bad: verifications - verified,
  }));
  const shown = { now: -daysShown, before: -2 * daysShown };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Paper withBorder p="md">
        <BarChart
          label="Inbound calls, last 30 days"
          days={calls.slice(shown.now)}
          before={calls.slice(shown.before, shown.now)}
          words={['answered', 'failed']}
        />
      </Paper>
      <Paper withBorder p="md">
        <BarChart
          label="Verifications, last 30 days"
          days={codes.slice(shown.now)}
          before={codes.slice(shown.before, shown.now)}
          words={['verified', 'not verified']}
        />
      </Paper>
    </SimpleGrid>
  );
}

function Recent({ title, isPending, children }: { title: string; isPending: boolean; children: ReactNode }) {
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        {title}
      </Title>
      {isPending ? <Rows count={5} /> : children}
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
      <Group wrap="nowrap" gap="xl">
        <Stack gap="xs" flex={1}>
          <Title order={2} size="h4">
            Start here
          </Title>
          <Text size="sm" c="dimmed">
            Buy a number, say where its calls go, and call it.
          </Text>
          <Group mt={4}>
            <ButtonLink to="/buy">Buy a number</ButtonLink>
            <ButtonLink to="/trunks/new" variant="default">
              Add a trunk
            </ButtonLink>
          </Group>
        </Stack>
        <LinesDrawing />
      </Group>
    </Paper>
  );
}
