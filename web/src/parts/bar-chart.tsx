/**
 * Bars by day in two colours above an axis, with the days of the period before as a grey line. What a day has is shown
 * under the pointer; a table with the same numbers is there for screen readers.
 */
import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { axisOf } from './chart-axis.ts';
import { showDay } from './format.ts';

interface Day {
  day: string;
  good: number;
  bad: number;
}

interface BarChartProps {
  label: string;
  days: readonly Day[];
  /** As many days, those before. */
  before?: readonly Day[];
  /** What the two colours mean. */
  words: readonly [string, string];
}

const height = 180;
const margin = { top: 8, right: 4, bottom: 22, left: 30 };
const inner = height - margin.top - margin.bottom;
export const good = 'var(--mantine-color-accent-5)';
export const bad = 'var(--mantine-color-orange-5)';
const faint = 'var(--mantine-color-default-border)';
const past = 'var(--mantine-color-gray-5)';

const totalOf = ({ good: one, bad: other }: Day): number => one + other;
const sumOf = (days: readonly Day[]): number => days.reduce((sum, day) => sum + totalOf(day), 0);

export function BarChart({ label, days, before = [], words }: BarChartProps) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const { top, steps } = axisOf(Math.max(0, ...[...days, ...before].map(totalOf)));
  const step = Math.max(0, width - margin.left - margin.right) / Math.max(1, days.length);
  const y = (count: number) => margin.top + inner * (1 - count / top);
  const middle = (index: number) => margin.left + (index + 0.5) * step;
  const bar = Math.min(22, step * 0.66);
  const labelled = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor(width / 90))));
  const day = pointed === null ? undefined : days[pointed];
  return (
    <figure className="chart">
      <ChartHeading label={label} words={words} />
      <Group gap={8} align="baseline" mb={6}>
        <Text span fz={22} fw={620} lts="-0.02em">
          {sumOf(days).toLocaleString('en-GB')}
        </Text>
        <Text span size="xs" c="dimmed">
          {compared(sumOf(days), before)}
        </Text>
      </Group>
      <div ref={ref} style={{ position: 'relative', height }}>
        {width > 0 && (
          <svg
            width={width}
            height={height}
            aria-hidden="true"
            onPointerMove={({ nativeEvent: { offsetX } }) => {
              const index = Math.floor((offsetX - margin.left) / step);
              setPointed(index >= 0 && index < days.length ? index : null);
            }}
            onPointerLeave={() => setPointed(null)}
          >
            {steps.map((count) => (
              <g key={count}>
                <line x1={margin.left} x2={width - margin.right} y1={y(count)} y2={y(count)} stroke={faint} />
                <text x={margin.left - 7} y={y(count) + 4} textAnchor="end" className="chart-word">
                  {count.toLocaleString('en-GB')}
                </text>
              </g>
            ))}
            {pointed !== null && (
              <rect
                x={middle(pointed) - step / 2}
                width={step}
                y={margin.top}
                height={inner}
                fill={faint}
                opacity={0.6}
              />
            )}
            {days.map((each, index) => (
              <g key={each.day}>
                <rect
                  x={middle(index) - bar / 2}
                  width={bar}
                  y={y(each.good)}
                  height={y(0) - y(each.good)}
                  fill={good}
                />
                <rect
                  x={middle(index) - bar / 2}
                  width={bar}
                  y={y(totalOf(each))}
                  height={y(0) - y(each.bad)}
                  fill={bad}
                />
                {index % labelled === 0 && (
                  <text x={middle(index)} y={height - 5} textAnchor="middle" className="chart-word">
                    {showDay(each.day)}
                  </text>
                )}
              </g>
            ))}
            {sumOf(before) > 0 && (
              <polyline
                points={before.map((each, index) => `${middle(index)},${y(totalOf(each))}`).join(' ')}
                fill="none"
                stroke={past}
                strokeWidth={1.5}
                strokeDasharray="3 3"
              />
            )}
          </svg>
        )}
        {day !== undefined && pointed !== null && (
          <div className="chart-tip" style={{ left: Math.min(Math.max(middle(pointed), 80), width - 80) }}>
            <strong>{showDay(day.day)}</strong>
            <Legend color={good} word={`${day.good.toLocaleString('en-GB')} ${words[0]}`} />
            <Legend color={bad} word={`${day.bad.toLocaleString('en-GB')} ${words[1]}`} />
            {before[pointed] !== undefined && (
              <Legend
                color={past}
                word={`${totalOf(before[pointed]).toLocaleString('en-GB')} ${showDay(before[pointed].day)}`}
              />
            )}
          </div>
        )}
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {days
              .filter((each) => totalOf(each) > 0)
              .map((each) => (
                <tr key={each.day}>
                  <th scope="row">{each.day}</th>
                  <td>{`${each.good} ${words[0]}`}</td>
                  <td>{`${each.bad} ${words[1]}`}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

/** In words, how much more or less it was than in the period before. */
function compared(now: number, before: readonly Day[]): string {
  if (before.length === 0) return '';
  const then = sumOf(before);
  const period = `the ${before.length} days before`;
  if (then === 0) return now === 0 ? `as in ${period}` : `none in ${period}`;
  const change = Math.round((now / then - 1) * 100);
  return change === 0 ? `as in ${period}` : `${Math.abs(change)}% ${change > 0 ? 'more' : 'less'} than in ${period}`;
}

/** The name of a chart, and what its two colours mean. */
export const ChartHeading = ({ label, words }: Pick<BarChartProps, 'label' | 'words'>) => (
  <Group justify="space-between" mb={4}>
    <Text size="sm" fw={550} component="figcaption">
      {label}
    </Text>
    <Group gap="sm">
      <Legend color={good} word={words[0]} />
      <Legend color={bad} word={words[1]} />
    </Group>
  </Group>
);

export const Legend = ({ color, word }: { color: string; word: string }) => (
  <Group gap={5} wrap="nowrap">
    <span style={{ width: 9, height: 9, borderRadius: 2, background: color, display: 'inline-block' }} />
    <Text size="xs" c="dimmed">
      {word}
    </Text>
  </Group>
);
