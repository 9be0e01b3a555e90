/** Counts of what a customer has and does, and the newest of it, from the one response that has everything. */

import { Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { dateOrDash, showTime } from '../parts/format.ts';

export function AccountGlance({ id }: { id: string }) {
  const read = useRead(pathWith('/operator/v1/account_overview', { account: id }));
  if (read.data === undefined) return null;
  const { numbers, ...parts } = read.data;
  const figures: [label: string, value: string | number][] = [
    ['Trunks in and out', `${numbers.voice_in_trunks} and ${numbers.voice_out_trunks}`],
    ['Calls up now', numbers.calls_up],
    ['Verifications, 24 h', numbers.verifications_of_a_day],
    ['Next renewal', dateOrDash(numbers.next_renewal_at)],
    ['Numbers unregistered', numbers.numbers_awaiting_registration],
    ['Numbers blocked', numbers.numbers_blocked],
    ['Failed callbacks, 7 days', numbers.deliveries_failing],
    ['Blocked prefixes', numbers.prefixes_blocked],
  ];
  return (
    <>
      <Paper withBorder p="md" component="section" aria-label="At a glance">
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          {figures.map(([label, value]) => (
            <div key={label}>
              <Text size="sm" c="dimmed">
                {label}
              </Text>
              <Text fw={600}>{value}</Text>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Part
          title="Trunks"
          rows={[
            ...parts.voice_in_trunks.map((trunk) => [
              trunk.id,
              trunk.name,
              `in, ${trunk.configuration_type.replace('_configurations', '')}`,
            ]),
            ...parts.voice_out_trunks.map((trunk) => [trunk.id, trunk.name, `out, ${trunk.status}`]),
          ]}
        />
        <Part
          title="API keys and applications"
          rows={[
            ...parts.api_keys.map((key) => [
              key.id,
              `${key.name} (${key.prefix}…)`,
              key.last_used_at === null ? 'never used' : `used ${showTime(key.last_used_at)}`,
            ]),
            ...parts.otp_applications.map((each) => [each.id, each.name, `OTP, ${each.minimum_mode}`]),
          ]}
        />
      </SimpleGrid>
    </>
  );
}

function Part({ title, rows }: { title: string; rows: ReactNode[][] }) {
  return (
    <Paper withBorder>
      <Group p="md" pb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
      </Group>
      <Stack gap={0}>
        {rows.length === 0 ? (
          <Text c="dimmed" size="sm" p="md" pt={0}>
            None.
          </Text>
        ) : (
          <Table aria-label={title} verticalSpacing="xs">
            <Table.Tbody>
              {rows.map(([key, name, about]) => (
                <Table.Tr key={String(key)}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                  <Table.Td ta="right" c="dimmed">
                    {about}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Paper>
  );
}
