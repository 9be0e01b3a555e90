/** Bars by day in two colours, drawn here; a table with the same numbers is there for screen readers. */
import { Group, Text, VisuallyHidden } from '@mantine/core';

interface BarChartProps {
  label: string;
  days: readonly { day: string; good: number; bad: number }[];
  /** What the two colours mean. */
  words: readonly [string, string];
}

const height = 80;
export const good = 'var(--mantine-color-teal-6)';
export const bad = 'var(--mantine-color-orange-5)';

export function BarChart({ label, days, words }: BarChartProps) {
  const most = Math.max(1, ...days.map((day) => day.good + day.bad));
  const width = 100 / Math.max(1, days.length);
  const scaled = (count: number) => (count / most) * height;
  return (
    <figure style={{ margin: 0 }}>
      <ChartHeading label={label} words={words} />
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" width="100%" height={height} aria-hidden="true">
        <line x1={0} x2={100} y1={height} y2={height} stroke="var(--mantine-color-default-border)" />
        {days.map((day, index) => (
          <g key={day.day}>
            <title>{`${day.day}: ${day.good} ${words[0]}, ${day.bad} ${words[1]}`}</title>
            <rect
              x={index * width + width * 0.15}
              width={width * 0.7}
              y={height - scaled(day.good)}
              height={scaled(day.good)}
              fill={good}
            />
            <rect
              x={index * width + width * 0.15}
              width={width * 0.7}
              y={height - scaled(day.good + day.bad)}
              height={scaled(day.bad)}
              fill={bad}
            />
          </g>
        ))}
      </svg>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {days[0]?.day}
        </Text>
        <Text size="xs" c="dimmed">
          most in a day: {most}
        </Text>
        <Text size="xs" c="dimmed">
          {days.at(-1)?.day}
        </Text>
      </Group>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {days
              .filter((day) => day.good + day.bad > 0)
              .map((day) => (
                <tr key={day.day}>
                  <th scope="row">{day.day}</th>
                  <td>{`${day.good} ${words[0]}`}</td>
                  <td>{`${day.bad} ${words[1]}`}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

/** The name of a chart, and what its two colours mean. */
export const ChartHeading = ({ label, words }: Pick<BarChartProps, 'label' | 'words'>) => (
  <Group justify="space-between" mb="xs">
    <Text size="sm" fw={600} component="figcaption">
      {label}
    </Text>
    <Group gap="sm">
      <Legend color={good} word={words[0]} />
      <Legend color={bad} word={words[1]} />
    </Group>
  </Group>
);

export const Legend = ({ color, word }: { color: string; word: string }) => (
  <Group gap={4}>
    <span style={{ width: 10, height: 10, borderRadius: 2, background: color, display: 'inline-block' }} />
    <Text size="xs" c="dimmed">
      {word}
    </Text>
  </Group>
);
