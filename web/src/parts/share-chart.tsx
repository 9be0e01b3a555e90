/**
 * Horizontal bars, one for each row: how much there was, and which part of it was good. The numbers stand beside them.
 */
import { Box, Group, Stack, Text } from '@mantine/core';
import { bad, ChartHeading, good } from './bar-chart.tsx';

interface ShareChartProps {
  label: string;
  rows: readonly { key: string; name: string; good: number; bad: number; text: string }[];
  /** What the two colours mean. */
  words: readonly [string, string];
}

export function ShareChart({ label, rows, words }: ShareChartProps) {
  const most = Math.max(1, ...rows.map((row) => row.good + row.bad));
  return (
    <figure style={{ margin: 0 }}>
      <ChartHeading label={label} words={words} />
      <Stack gap={8}>
        {rows.map((row) => (
          <Group key={row.key} gap="sm" wrap="nowrap">
            <Text size="sm" w={{ base: 90, xs: 150 }} truncate title={row.name}>
              {row.name}
            </Text>
            <Box flex={1} miw={0} h={14} display="flex" aria-hidden="true">
              <Box w={`${(row.good / most) * 100}%`} bg={good} style={{ borderRadius: '2px 0 0 2px' }} />
              <Box w={`${(row.bad / most) * 100}%`} bg={bad} style={{ borderRadius: '0 2px 2px 0' }} />
            </Box>
            <Text size="sm" c="dimmed" w={{ base: 92, xs: 130 }} ta="right">
              {row.text}
            </Text>
          </Group>
        ))}
      </Stack>
    </figure>
  );
}
