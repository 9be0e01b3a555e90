/** A record's members as a table of two columns. */
import { Paper, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Details({ title, rows }: { title: string; rows: readonly [name: string, value: ReactNode][] }) {
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        {title}
      </Title>
      <Table variant="vertical" layout="fixed" aria-label={title}>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={150}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
