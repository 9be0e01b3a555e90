/** The sandbox's scenarios: what is to go wrong on demand, and the fixed values that always behave in one way. */

import { Badge, Code, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showNumber } from '../parts/format.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { NewFault, type ScenarioNames } from './new-fault.tsx';

type Scenario = ReadOf<'/sandbox/v1/scenarios'>['scenarios'][number];
type Fault = ReadOf<'/sandbox/v1/faults'>['faults'][number];

export function Scenarios() {
  const read = useRead(pathWith('/sandbox/v1/scenarios'));
  const faults = useRead(pathWith('/sandbox/v1/faults'), 5_000);
  const error = read.error ?? faults.error;
  if (read.isPending || faults.isPending) return <Waiting />;
  return (
    <Page
      title="Scenarios"
      about="Makes things fail, so you can see how your programs cope. None of this exists in production."
      actions={read.data && <NewFault names={read.data} />}
    >
      {error && <Failure error={error} retry={() => Promise.all([read.refetch(), faults.refetch()])} />}
      {faults.data && read.data && <Faults faults={faults.data.faults} names={read.data} />}
      {read.data && <FixedValues scenarios={read.data.scenarios} />}
    </Page>
  );
}

/** What happens, in words. */
function happening({ do: action }: Fault, { faults }: ScenarioNames): string {
  const wait = action.delay_ms === undefined ? '' : `waits ${action.delay_ms / 1000} s`;
  const ends =
    action.fault !== undefined
      ? (faults.find(({ name }) => name === action.fault)?.description ?? action.fault)
      : action.error !== undefined
        ? `is refused with ${action.error}`
        : action.status !== undefined
          ? `is refused with ${action.status}`
          : action.rate_limit
            ? 'is refused with 429'
            : action.truncate
              ? 'gets half of its response'
              : action.drop === 'response'
                ? 'is handled, and its connection breaks'
                : action.drop
                  ? 'finds its connection broken'
                  : '';
  return [wait, ends].filter(Boolean).join(', then ');
}

function Faults({ faults, names }: { faults: readonly Fault[]; names: ScenarioNames }) {
  return (
    <Paper withBorder component="section" aria-label="What goes wrong">
      <Title order={2} size="h5" p="md" pb="xs">
        What goes wrong
      </Title>
      {faults.length === 0 ? (
        <Empty title="Everything works">Make a request fail, a callback get lost or an SMS arrive twice.</Empty>
      ) : (
        <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
          <Table aria-label="What goes wrong" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th visibleFrom="sm">Which requests</Table.Th>
                <Table.Th ta="right">Happened</Table.Th>
                <Table.Th ta="right">Left</Table.Th>
                <Table.Th>Actions</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {faults.map((fault) => (
                <Table.Tr key={fault.id}>
                  <Table.Td>{happening(fault, names)}</Table.Td>
                  <Table.Td visibleFrom="sm">
                    {fault.do.fault === undefined ? (
                      <Code>{`${fault.match.method?.toUpperCase() ?? 'any'} ${fault.match.path ?? '/v3, /api/v1'}`}</Code>
                    ) : (
                      '–'
                    )}
                  </Table.Td>
                  <Table.Td ta="right">{fault.hits}</Table.Td>
                  <Table.Td ta="right">{fault.times_left ?? 'for ever'}</Table.Td>
                  <Table.Td>
                    <ConfirmButton
                      label="Remove"
                      about={`Remove: ${happening(fault, names)}`}
                      question="It does not happen any more."
                      act={(send) => send('DELETE', pathWith('/sandbox/v1/faults/{id}', { id: fault.id }))}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Paper>
  );
}

/** Ten numbers in a row are told by the first and the last. */
function ranges(values: readonly string[]): string[] {
  const decades = Map.groupBy(values, (value) => value.slice(0, -1));
  return [...decades.values()].map((decade) =>
    decade.length === 1 ? (decade[0] ?? '') : `${showNumber(decade[0] ?? '')} … ${decade.at(-1)?.slice(-2)}`,
  );
}

function FixedValues({ scenarios }: { scenarios: readonly Scenario[] }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Fixed values">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            Fixed values
          </Title>
          <Text size="sm" c="dimmed">
            They always behave like this, for tests that only use the public interfaces.
          </Text>
        </div>
        {scenarios.map(({ scenario, description, destinations, callers, references }) => (
          <div key={scenario}>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {scenario}
              </Text>
              <Badge variant="light" color="gray">
                {destinations ? 'number to verify' : callers ? 'calling number' : 'external_reference_id of an order'}
              </Badge>
            </Group>
            <Text size="sm">{description}</Text>
            <List size="sm" listStyleType="none">
              {ranges(destinations ?? callers ?? []).map((range) => (
                <List.Item key={range}>
                  <Code>{range}</Code>
                </List.Item>
              ))}
              {(references ?? []).map((reference) => (
                <List.Item key={reference}>
                  <Code>{reference}</Code>
                </List.Item>
              ))}
            </List>
          </div>
        ))}
      </Stack>
    </Paper>
  );
}
