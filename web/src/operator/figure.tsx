/** A figure in a box, above a list or on a first page. */
import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** `link` leads to what is counted. */
export function Figure({ label, value, link }: { label: string; value: ReactNode; link?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700} component="div">
        {value}
      </Text>
      {link !== undefined && (
        <Text size="sm" component="div">
          {link}
        </Text>
      )}
    </Paper>
  );
}
