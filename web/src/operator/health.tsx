/** How the platform is: the alerts of docs/alerts.md, answered by the metrics of the process that serves this page. */
import { Badge, Paper, SimpleGrid, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { reach } from '../api/request.ts';
import { RouteLink } from '../parts/links.tsx';
import { Failure, Page, Waiting } from '../parts/page.tsx';
import { type Check, checksOf, parseMetrics, type Sample } from './metrics.ts';

const everyMs = 10_000;

const states = {
  good: { word: 'good', color: 'teal' },
  watch: { word: 'watch it', color: 'yellow' },
  bad: { word: 'act', color: 'red' },
  unknown: { word: 'not known', color: 'gray' },
} as const;

/** The page that says more about an alert. */
const pages: Readonly<Record<string, string>> = {
  TrunklineJobsLate: '/operator/jobs',
  TrunklineJobsGaveUp: '/operator/jobs',
  TrunklineProviderDown: '/operator/providers',
  TrunklineEventReceiverFailing: '/operator/callbacks',
  TrunklineLedgerOff: '/operator/proofs',
};

/** With the server's time: certificates end by the calendar, not by the sandbox's clock or that of the browser. */
async function readMetrics(): Promise<{ samples: Sample[]; at: number }> {
  const response = await reach('GET', '/metrics', {});
  if (!response.ok) throw new Error(`The metrics cannot be read here (${response.status}).`);
  const at = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(at)) throw new Error('The response of /metrics has no date; a proxy may have taken it away.');
  return { samples: parseMetrics(await response.text()), at };
}

export function Health() {
  const read = useQuery({ queryKey: ['metrics'], queryFn: readMetrics, refetchInterval: everyMs });
  const checks = checksOf(read.data?.samples ?? [], read.data?.at ?? 0);
  const troubled = checks.filter(({ state }) => state === 'bad' || state === 'watch').length;
  return (
    <Page
      title="Health"
      about="What the alerts watch, measured now, by the process that serves this page. Alerts about a time, and about other processes, need Prometheus."
    >
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && (
        <>
          <Figures samples={read.data.samples} troubled={troubled} />
          <Paper withBorder>
            <Table aria-label="Checks" verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>What</Table.Th>
                  <Table.Th>Now</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th visibleFrom="md">What to do</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {checks.map((check) => (
                  <Row key={check.alert} check={check} />
                ))}
              </Table.Tbody>
            </Table>
          </Paper>
        </>
      )}
    </Page>
  );
}

function Row({ check: { alert, what, found, state, todo } }: { check: Check }) {
  const page = pages[alert];
  return (
    <Table.Tr>
      <Table.Td>
        {page === undefined ? (
          what
        ) : (
          <RouteLink to={page} style={{ display: 'block' }}>
            {what}
          </RouteLink>
        )}
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {alert}
        </Text>
      </Table.Td>
      <Table.Td>{found ?? '–'}</Table.Td>
      <Table.Td>
        <Badge variant="light" color={states[state].color}>
          {states[state].word}
        </Badge>
      </Table.Td>
      <Table.Td visibleFrom="md">{state === 'bad' || state === 'watch' ? todo : ''}</Table.Td>
    </Table.Tr>
  );
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20).toLocaleString('en-GB')} MB`;

function Figures({ samples, troubled }: { samples: readonly Sample[]; troubled: number }) {
  const total = (name: string) =>
    samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
  const figures: [string, string][] = [
    ['Needs attention', troubled === 0 ? 'nothing' : String(troubled)],
    ['Active calls', String(total('trunkline_calls'))],
    ['Database', megabytes(total('trunkline_database_size_bytes'))],
    ['Memory of this process', megabytes(total('process_resident_memory_bytes'))],
  ];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {figures.map(([label, value]) => (
        <Paper key={label} withBorder p="md">
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text size="xl" fw={700}>
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
