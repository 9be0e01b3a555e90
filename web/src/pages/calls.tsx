/** Calls: those that are active now, and inbound and outbound calls that have ended. */

import { Alert, Group, Paper, SegmentedControl, Table, Text, Title } from '@mantine/core';
import type { Call } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { column } from '../parts/columns.tsx';
import { showMoney, showNumber, showSeconds, showTime } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { CallResult, StateBadge } from '../parts/states.tsx';
import type { OutboundCall } from './outbound-call.tsx';

const inbound: readonly ListColumn<Call>[] = [
  column('time', 'Time', ({ attributes }) => attributes.time_start, {
    sort: 'time_start',
    cell: ({ id, attributes }) => (
      <RouteLink to="/calls/$id" params={{ id }}>
        {showTime(attributes.time_start)}
      </RouteLink>
    ),
  }),
  column('from', 'From', ({ attributes }) => showNumber(attributes.src_number)),
  column('to', 'To', ({ attributes }) => showNumber(attributes.did_number), { secondary: true }),
  column('trunk', 'Trunk', ({ attributes }) => attributes.voice_in_trunk_name ?? '', { secondary: true }),
  column('duration', 'Length', ({ attributes }) => String(attributes.duration), {
    sort: 'duration',
    secondary: true,
    cell: ({ attributes }) => showSeconds(attributes.duration),
  }),
  column(
    'result',
    'Result',
    ({ attributes }) => (attributes.success ? 'answered' : `failed ${attributes.disconnect_code}`),
    { sort: 'disconnect_code', cell: ({ attributes }) => <CallResult call={attributes} /> },
  ),
  column('reason', 'Reason', ({ attributes }) => attributes.response, { optional: true }),
  column('attempts', 'Attempts', ({ attributes }) => String(attributes.attempts), { optional: true }),
  column('id', 'Call id', ({ attributes }) => attributes.call_id, { optional: true }),
];

const outbound: readonly ListColumn<OutboundCall>[] = [
  column('time', 'Time', ({ attributes }) => attributes.time_start, {
    sort: 'time_start',
    cell: ({ id, attributes }) => (
      <RouteLink to="/calls/out/$id" params={{ id }}>
        {showTime(attributes.time_start)}
      </RouteLink>
    ),
  }),
  column('to', 'To', ({ attributes }) => showNumber(attributes.dst_number)),
  column('from', 'Presented', ({ attributes }) => showNumber(attributes.src_number), { secondary: true }),
  column('trunk', 'Trunk', ({ attributes }) => attributes.voice_out_trunk_name, { secondary: true }),
  column('country', 'Country', ({ attributes }) => attributes.country ?? '', { optional: true }),
  column('duration', 'Length', ({ attributes }) => String(attributes.duration), {
    sort: 'duration',
    secondary: true,
    cell: ({ attributes }) => showSeconds(attributes.duration),
  }),
  column('price', 'Price', ({ attributes }) => attributes.price, {
    sort: 'price',
    secondary: true,
    cell: ({ attributes }) => showMoney(attributes.price),
  }),
  column(
    'result',
    'Result',
    ({ attributes }) => (attributes.success ? 'answered' : `failed ${attributes.disconnect_code}`),
    { cell: ({ attributes }) => <CallResult call={attributes} /> },
  ),
];

const results = [
  {
    name: 'success',
    label: 'Result',
    options: [
      { value: 'true', label: 'Answered' },
      { value: 'false', label: 'Failed' },
    ],
  },
];

export function Calls() {
  const [search, change] = useListSearch();
  const isOutbound = search.direction === 'out';
  return (
    <Page
      title="Calls"
      about="Active calls, and those that have ended."
      actions={
        <ButtonLink to="/exports" variant="default">
          Exports
        </ButtonLink>
      }
    >
      <Live />
      <SegmentedControl
        aria-label="Direction"
        w={{ base: '100%', xs: 280 }}
        value={isOutbound ? 'out' : 'in'}
        onChange={(direction) =>
          change({
            direction: direction === 'out' ? 'out' : undefined,
            page: undefined,
            sort: undefined,
            columns: undefined,
          })
        }
        data={[
          { value: 'in', label: 'Inbound' },
          { value: 'out', label: 'Outbound' },
        ]}
      />
      {isOutbound ? (
        <ResourceList
          name="outbound calls"
          path={pathWith('/panel/v1/outbound_calls')}
          columns={outbound}
          defaultSort="-time_start"
          search={{
            label: 'Digits of the called number',
            parameters: (text) => ({ 'filter[dst_number_contains]': text.replace(/\D/g, '') }),
          }}
          filters={results}
          every={5_000}
          empty={
            <Empty
              title="No outbound calls yet"
              action={<ButtonLink to="/outbound-trunks">Outbound trunks</ButtonLink>}
            >
              Calls that your equipment makes through an outbound trunk are listed here.
            </Empty>
          }
        />
      ) : (
        <ResourceList
          name="calls"
          path={pathWith('/panel/v1/calls')}
          columns={inbound}
          defaultSort="-time_start"
          search={{
            label: 'Digits of the called number',
            parameters: (text) => ({ 'filter[did_number_contains]': text.replace(/\D/g, '') }),
          }}
          filters={results}
          every={5_000}
          empty={
            <Empty title="No calls yet">
              Calls to your numbers are listed here as soon as they have ended. In the sandbox the call simulator makes
              one.
            </Empty>
          }
        />
      )}
    </Page>
  );
}

/** Without live events. */
const liveMs = 2_000;

/** Calls that are active now; calls appear and vanish while one looks. */
function Live() {
  const read = useRead(pathWith('/panel/v1/live_calls'), useFallback(liveMs));
  const now = useServerNow();
  const calls = read.data?.data ?? [];
  if (calls.length === 0) {
    return (
      <Alert color="gray" variant="light" role="status">
        No call is active now. This page shows calls as they come and go.
      </Alert>
    );
  }
  return (
    <Paper withBorder component="section" aria-label="Active calls">
      <Group justify="space-between" p="md" pb="xs">
        <Title order={2} size="h5">
          Active now
        </Title>
        <Text size="sm" c="dimmed">
          {calls.length}
        </Text>
      </Group>
      <Table aria-label="Active calls" verticalSpacing="xs">
        <Table.Tbody>
          {calls.map(({ id, attributes }) => (
            <Table.Tr key={id}>
              <Table.Td>
                {showNumber(attributes.from ?? '')} → {showNumber(attributes.to ?? '')}
              </Table.Td>
              <Table.Td visibleFrom="sm">{attributes.trunk_name}</Table.Td>
              <Table.Td ta="right">{showSeconds((now - Date.parse(attributes.time_start)) / 1000)}</Table.Td>
              <Table.Td ta="right">
                <StateBadge word={attributes.state} good={attributes.state === 'answered' ? true : null} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
