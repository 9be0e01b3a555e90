/** A ladder diagram: lanes side by side, messages between them from top to bottom, each with what it meant. */
import { Table, Text, VisuallyHidden } from '@mantine/core';

export interface Arrow {
  from: number;
  to: number;
  text: string;
  note: string;
  bad?: boolean;
}

const laneWidth = 110;
const rowHeight = 46;

export function Ladder({
  lanes,
  arrows,
  label,
}: {
  lanes: readonly string[];
  arrows: readonly Arrow[];
  label: string;
}) {
  const width = laneWidth * lanes.length;
  const x = (lane: number) => lane * laneWidth + laneWidth / 2;
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table aria-label={label} withRowBorders={false} verticalSpacing={0} className="ladder">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={width} p={0}>
              <svg width={width} height={26} role="img" aria-label={lanes.join(', ')}>
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
          {arrows.map((arrow, index) => (
            <Table.Tr key={`${String(index)} ${arrow.text}`}>
              <Table.Td w={width} p={0}>
                <svg width={width} height={rowHeight} aria-hidden="true" style={{ display: 'block' }}>
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
                  <Line from={x(arrow.from)} to={x(arrow.to)} text={arrow.text} bad={arrow.bad ?? false} />
                </svg>
                <VisuallyHidden>
                  {lanes[arrow.from]} to {lanes[arrow.to]}: {arrow.text}
                </VisuallyHidden>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{arrow.note}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
