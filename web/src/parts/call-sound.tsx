/** How a call sounded: a line for each side, its figures, and in words what was wrong if a side was not heard. */
import { Alert, Group, Paper, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import type { Call } from '../api/documents.ts';
import { bad, good, Legend } from './bar-chart.tsx';
import { showSeconds } from './format.ts';

type Sound = NonNullable<Call['attributes']['sound']>;
type HeardSide = Sound[string];

interface CallSoundProps {
  call: Pick<Call['attributes'], 'sound' | 'sound_problem'>;
  /** How the page calls the caller and the called side. */
  sides: readonly [caller: string, called: string];
}

interface Line {
  name: string;
  color: string;
  heard: HeardSide;
}

export function CallSound({ call, sides }: CallSoundProps) {
  const { caller, called } = call.sound ?? {};
  if (caller === undefined || called === undefined) return null;
  const lines: Line[] = [
    { name: sides[0], color: good, heard: caller },
    { name: sides[1], color: bad, heard: called },
  ];
  return (
    <Paper withBorder p="md" component="section" aria-label="How it sounded">
      <Stack gap="sm">
        <Title order={2} size="h5">
          How it sounded
        </Title>
        {call.sound_problem !== null && (
          <Alert color="red" title="A side was not heard">
            {problemWords(call.sound_problem, sides)}
          </Alert>
        )}
        {lines.some(({ heard }) => heard.course.some(({ mos }) => mos !== null)) && <Course lines={lines} />}
        <Figures lines={lines} />
      </Stack>
    </Paper>
  );
}

const causes: Readonly<Record<string, string>> = {
  silent: 'sent nothing',
  address: 'sent packets from an address that is not allowed, or not the one that it described',
  encryption: 'sent packets that were not encrypted with the keys that were agreed on',
  payload: 'sent packets of a payload type that was not agreed on',
  refused: 'sent packets that were dropped',
};

function problemWords(problem: string, [caller, called]: CallSoundProps['sides']): string {
  const [side = '', cause = ''] = problem.split('_');
  if (side === 'both') return 'Neither side sent anything.';
  return `${side === 'caller' ? caller : called} ${causes[cause] ?? cause}.`;
}

const height = 90;
const [leastMos, mostMos] = [1, 4.5];
const yOf = (mos: number): number => height * (1 - (mos - leastMos) / (mostMos - leastMos));

function Course({ lines }: { lines: readonly Line[] }) {
  const last = Math.max(1, ...lines.map(({ heard }) => heard.course.at(-1)?.second ?? 0));
  /** Each point is of the time until it, so the line begins with the first one's. */
  const pointsOf = ({ heard: { course } }: Line) =>
    [{ second: 0, mos: course[0]?.mos ?? null }, ...course]
      .flatMap(({ second, mos }) => (mos === null ? [] : [`${(100 * second) / last},${yOf(mos)}`]))
      .join(' ');
  const label = 'Estimated quality (MOS) during the call';
  return (
    <figure style={{ margin: 0 }}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" fw={600} component="figcaption">
          {label}
        </Text>
        <Group gap="sm">
          {lines.map(({ name, color }) => (
            <Legend key={name} color={color} word={name} />
          ))}
        </Group>
      </Group>
      <Group gap="xs" wrap="nowrap" align="stretch">
        <Stack gap={0} justify="space-between" aria-hidden="true">
          <Text size="xs" c="dimmed">
            {mostMos}
          </Text>
          <Text size="xs" c="dimmed">
            {leastMos}
          </Text>
        </Stack>
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" width="100%" height={height} aria-hidden="true">
          {[leastMos, 2.5, 4, mostMos].map((mos) => (
            <line
              key={mos}
              x1={0}
              x2={100}
              y1={yOf(mos)}
              y2={yOf(mos)}
              stroke="var(--mantine-color-default-border)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {lines.map((line, at) => (
            <polyline
              key={line.name}
              points={pointsOf(line)}
              fill="none"
              stroke={line.color}
              strokeWidth={2}
              {...(at > 0 && { strokeDasharray: '6 4' })}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </Group>
      <Group justify="space-between" pl="lg">
        <Text size="xs" c="dimmed">
          answered
        </Text>
        <Text size="xs" c="dimmed">
          {showSeconds(last)}
        </Text>
      </Group>
      <VisuallyHidden>
        {lines.map(({ name, heard }) => (
          <table key={name}>
            <caption>{`${label}: ${name}`}</caption>
            <tbody>
              {heard.course.map(({ second, mos, lost, jitter_ms }) => (
                <tr key={second}>
                  <th scope="row">{showSeconds(second)}</th>
                  <td>{mos === null ? 'no estimate' : `MOS ${mos.toFixed(1)}`}</td>
                  <td>{`${lost} lost, jitter ${jitter_ms} ms`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </VisuallyHidden>
    </figure>
  );
}

const word = (mos: number): string => (mos >= 4 ? 'good' : mos >= 3.6 ? 'fair' : 'poor');

const lostOf = ({ packets, lost }: HeardSide): string =>
  packets === 0 ? '–' : `${lost} (${((100 * lost) / (packets + lost)).toFixed(1)} %)`;

const rows: readonly (readonly [name: string, show: (heard: HeardSide) => string])[] = [
  ['Sounded', ({ mos }) => (mos === null ? '–' : `${word(mos)}, MOS ${mos.toFixed(1)}`)],
  ['Packets', ({ packets, codec }) => [packets, codec].filter((one) => one !== null).join(' of ')],
  ['Lost', lostOf],
  ['Jitter', ({ packets, jitter_ms }) => (packets === 0 ? '–' : `${jitter_ms} ms`)],
  ['Round trip', ({ round_trip_ms }) => (round_trip_ms === null ? 'not told' : `${round_trip_ms} ms`)],
  ['Silent alone', ({ silent_seconds }) => showSeconds(silent_seconds)],
  ['Dropped', ({ dropped }) => String(Object.values(dropped).reduce((sum, count) => sum + count, 0))],
  ['Encryption', ({ encryption }) => (encryption === 'disabled' ? 'none' : encryption.replaceAll('_', ' '))],
];

const Figures = ({ lines }: { lines: readonly Line[] }) => (
  <Table aria-label="What was heard of each side" layout="fixed">
    <Table.Thead>
      <Table.Tr>
        <Table.Td w={110} />
        {lines.map(({ name }) => (
          <Table.Th key={name} scope="col">
            {name} sent
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map(([name, show]) => (
        <Table.Tr key={name}>
          <Table.Th scope="row">{name}</Table.Th>
          {lines.map((line) => (
            <Table.Td key={line.name} style={{ overflowWrap: 'anywhere' }}>
              {show(line.heard)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);
