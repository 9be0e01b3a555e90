/** What happened to a number: its newest calls, and what was done with it. */

import { Group, Paper, Table, Title } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { LinesDrawing } from '../parts/drawings.tsx';
import { showNumber, showSeconds, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Empty, Rows } from '../parts/page.tsx';
import { CallResult } from '../parts/states.tsx';
import { Ago, At } from '../parts/when.tsx';

export function NewestCalls({ number }: { number: string }) {
  const read = useRead(
    pathWith('/panel/v1/calls', { 'filter[did_number_contains]': number, sort: '-time_start', 'page[size]': 5 }),
  );
  return (
    <Paper withBorder>
      <Group justify="space-between" p="md" pb="xs">
        <Title order={2} size="h5">
          Newest calls
        </Title>
        <RouteLink to="/calls" search={{ q: number }}>
          All of its calls
        </RouteLink>
      </Group>
      {read.isPending && <Rows count={3} />}
      {read.data?.data.length === 0 && (
        <Empty title="Nobody has called yet" drawing={<LinesDrawing />}>
          Calls are listed here as soon as they have ended.
        </Empty>
      )}
      {read.data && read.data.data.length > 0 && (
        <Table aria-label="Newest calls" className="compact">
          <Table.Tbody>
            {read.data.data.map(({ id, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <RouteLink to="/calls/$id" params={{ id }}>
                    {showNumber(attributes.src_number)}
                  </RouteLink>
                </Table.Td>
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
    </Paper>
  );
}

export function History({ number }: { number: string }) {
  const read = useRead(
    pathWith('/v3/did_history', { 'filter[did_number]': number, sort: '-created_at', 'page[size]': 25 }),
  );
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        History
      </Title>
      {read.data?.data.length === 0 && <Empty title="Nothing happened in the last 90 days" />}
      {read.data && read.data.data.length > 0 && (
        <Table aria-label="History">
          <Table.Tbody>
            {read.data.data.map(({ id, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <At iso={attributes.created_at} />
                </Table.Td>
                <Table.Td>{showWords(attributes.action)}</Table.Td>
                <Table.Td c="dimmed">{showWords(attributes.method)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}
