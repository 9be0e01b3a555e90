/** The sandbox's clock: what time it is there, and moving it forward. */

import { Button, Group, NumberInput, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showTime } from '../parts/format.ts';
import { Empty, Failure, FormError, Page, Waiting } from '../parts/page.tsx';

const steps = [
  { label: '1 minute', seconds: 60 },
  { label: '1 hour', seconds: 3_600 },
  { label: '1 day', seconds: 86_400 },
  { label: '31 days', seconds: 31 * 86_400 },
];

const path = pathWith('/sandbox/v1/clock');

export function ClockPage() {
  const read = useRead(path);
  const move = useWrite<'POST /sandbox/v1/clock'>();
  const [seconds, setSeconds] = useState<number | string>(31);
  const advance = (by: number) => move.mutate({ method: 'POST', path, body: { advance_seconds: by } });
  if (read.isPending) return <Waiting />;
  return (
    <Page
      title="Clock"
      about="The sandbox has a time of its own, for all of its accounts. It only goes forward; what falls due on the way happens: renewals, expiries, retries."
    >
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.data && (
        <Paper withBorder p="md" maw={620}>
          <Stack>
            <div>
              <Title order={2} size="h5">
                Now
              </Title>
              <Text size="xl" fw={600} aria-live="polite">
                {showTime(read.data.now)}
              </Text>
              <Text size="sm" c="dimmed">
                {read.data.offset_seconds === 0
                  ? 'The same as the machine’s'
                  : `${ahead(read.data.offset_seconds)} ahead`}
              </Text>
            </div>
            <FormError text={fieldErrors(move.error)['']} />
            <Group gap="xs">
              {steps.map((step) => (
                <Button
                  key={step.label}
                  variant="default"
                  disabled={move.isPending}
                  onClick={() => advance(step.seconds)}
                >
                  + {step.label}
                </Button>
              ))}
            </Group>
            <Group align="flex-end">
              <NumberInput label="Seconds" w={140} min={1} allowDecimal={false} value={seconds} onChange={setSeconds} />
              <Button
                loading={move.isPending}
                disabled={typeof seconds !== 'number'}
                onClick={() => advance(Number(seconds))}
              >
                Move forward
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
      <Upcoming />
    </Page>
  );
}

function ahead(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const parts = [days && `${days} d`, hours && `${hours} h`, minutes && `${minutes} min`].filter(Boolean);
  return parts.join(' ') || `${seconds} s`;
}

const words: Readonly<Record<string, string>> = {
  reservation_ends: 'The hold on a number ends',
  number_renews: 'A number is renewed and paid',
  number_ends: 'A number ends',
  verification_expires: 'A code expires',
  callback_is_sent: 'A callback is sent again',
  event_is_sent: 'A call event is sent again',
  key_ends: 'A replaced API key ends',
};

/** What moving time will set off, soonest first. */
function Upcoming() {
  const read = useRead(pathWith('/panel/v1/upcoming'));
  const coming = read.data?.upcoming ?? [];
  return (
    <Paper withBorder maw={720}>
      <Title order={2} size="h5" p="md" pb="xs">
        What will happen next
      </Title>
      {read.data && coming.length === 0 && <Empty title="Nothing is planned for your account" />}
      {coming.length > 0 && (
        <Table aria-label="What will happen next" verticalSpacing="xs">
          <Table.Tbody>
            {coming.slice(0, 15).map(({ at, what, about }) => (
              <Table.Tr key={`${at} ${what} ${about}`}>
                <Table.Td>{showTime(at)}</Table.Td>
                <Table.Td>
                  {words[what] ?? what}{' '}
                  <Text span c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {about}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}
