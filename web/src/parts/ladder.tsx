/** A ladder diagram: lanes side by side, messages between them from top to bottom, each with what it meant. */
import { Code, Table, Text, VisuallyHidden } from '@mantine/core';

export interface Step {
  /** A message from one lane to another; a step without one is a decision of the server. */
  arrow?: { from: number; to: number; text: string; bad?: boolean };
  note: string;
  /** When, as a person reads it. */
  at?: string;
  /** The whole message. */
  detail?: string;
}

const laneWidth = 110;
const rowHeight = 46;

export function Ladder({ lanes, steps, label }: { lanes: readonly string[]; steps: readonly Step[]; label: string }) {
  const width = laneWidth * lanes.length;
  const x = (lane: number) => lane * laneWidth + laneWidth / 2;
  return (
    <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
      <Table aria-label={label} withRowBorders={false} verticalSpacing={0} className="ladder">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={{ base: 'auto', sm: width }} p={0}>
              <svg width={width} height={26} viewBox={`0 0 ${width} 26`} role="img" aria-label={lanes.join(', ')}>
                {lanes.map((name, lane) => (
                  <text key={name} x={x(lane)} y={16} textAnchor="middle" fontSize={12} fill="currentColor">
                    {name}
                  </text>
                ))}
              </svg>
            </Table.Th>
            <Table.Th>What it means</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {steps.map(({ arrow, note, at, detail }, index) => (
            <Table.Tr key={`${String(index)} ${note}`}>
              <Table.Td w={{ base: 'auto', sm: width }} p={0}>
                <svg
                  width={width}
                  height={rowHeight}
                  viewBox={`0 0 ${width} ${rowHeight}`}
                  aria-hidden="true"
                  style={{ display: 'block' }}
                >
                  {lanes.map((name, lane) => (
                    <line
                      key={name}
                      x1={x(lane)}
                      x2={x(lane)}
                      y1={0}
                      y2={rowHeight}
                      stroke="var(--mantine-color-gray-5)"
                    />
                  ))}
                  {arrow && <Line from={x(arrow.from)} to={x(arrow.to)} text={arrow.text} bad={arrow.bad ?? false} />}
                </svg>
                {arrow && (
                  <VisuallyHidden>
                    {lanes[arrow.from]} to {lanes[arrow.to]}: {arrow.text}
                  </VisuallyHidden>
                )}
              </Table.Td>
              <Table.Td style={{ verticalAlign: 'middle' }}>
                <Note note={note} at={at} detail={detail} isDecision={arrow === undefined} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface NoteProps {
  note: string;
  at: string | undefined;
  detail: string | undefined;
  isDecision: boolean;
}

function Note({ note, at, detail, isDecision }: NoteProps) {
  const line = (
    <Text size="sm" span fs={isDecision ? 'italic' : undefined} style={{ overflowWrap: 'anywhere' }}>
      {at !== undefined && (
        <Text span c="dimmed" size="xs" mr="xs">
          {at}
        </Text>
      )}
      {note}
    </Text>
  );
  if (detail === undefined) return line;
  return (
    <details>
      <summary>{line}</summary>
      <Code block mt={4} tabIndex={0} style={{ maxHeight: 260 }}>
        {detail}
      </Code>
    </details>
  );
}

function Line({ from, to, text, bad }: { from: number; to: number; text: string; bad: boolean }) {
  const color = bad ? 'var(--mantine-color-error)' : 'var(--mantine-color-anchor)';
  const direction = to > from ? 1 : -1;
  const y = rowHeight - 12;
  return (
    <g stroke={color} fill={color} strokeWidth={1.5}>
      <line x1={from} x2={to - direction * 6} y1={y} y2={y} />
      <path d={`M${to} ${y} l${-direction * 8} -4 v8 z`} stroke="none" />
      <text x={(from + to) / 2} y={y - 7} textAnchor="middle" fontSize={12} stroke="none">
        {text}
      </text>
    </g>
  );
}
