/**
 * What happened in a call, inbound or outbound: its ladder with the reasons of each choice, and the events that were
 * sent for it.
 */

import { Code, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { useCallTrace } from './call-trace.tsx';
import { Ladder, type Step } from './ladder.tsx';
import { Empty } from './page.tsx';
import { eventType, isSettled, StateBadge } from './states.tsx';

interface CallStoryProps {
  callId: string;
  /** The caller, this server, and who is called. */
  lanes: readonly [string, string, string];
  /** The steps as the call's records tell them: for simulated calls, and those whose trace is no longer kept. */
  recorded: readonly Step[];
}

export function CallStory({ callId, lanes, recorded }: CallStoryProps) {
  const trace = useCallTrace(callId);
  return (
    <>
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="sm">
          What happened
        </Title>
        {trace !== undefined && (
          <Ladder lanes={lanes} steps={trace?.hasMessages ? trace.steps : recorded} label="The legs of the call" />
        )}
        {trace?.hasMessages && (
          <Text size="xs" c="dimmed" mt="xs">
            These are the SIP messages as they were received and sent; open one to read it.
            {trace.dropped > 0 ? ` ${trace.dropped} more were not kept.` : ''}
          </Text>
        )}
      </Paper>
      {trace && !trace.hasMessages && trace.steps.length > 0 && <Reasons steps={trace.steps} />}
    </>
  );
}

/** Why the call went this way, of a call without SIP messages. */
const Reasons = ({ steps }: { steps: readonly Step[] }) => (
  <Paper withBorder p="md" component="section" aria-label="Reasons">
    <Title order={2} size="h5" mb="xs">
      Why it went this way
    </Title>
    <List size="sm">
      {steps.map(({ note }) => (
        <List.Item key={note}>{note}</List.Item>
      ))}
    </List>
  </Paper>
);

export function CallEvents({ callId }: { callId: string }) {
  const read = useRead(pathWith('/panel/v1/call_events', { 'filter[call_id]': callId, sort: 'created_at' }));
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        Events
      </Title>
      {read.data?.data.length === 0 && (
        <Empty title="No events were sent">Set an endpoint under Events to hear about calls as they happen.</Empty>
      )}
      {read.data && read.data.data.length > 0 && (
        <Table aria-label="Events" verticalSpacing="xs">
          <Table.Tbody>
            {read.data.data.map(({ id, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Stack gap={4}>
                    <Text size="sm" fw={500}>
                      {eventType(attributes.body)}
                    </Text>
                    <Code block tabIndex={0} style={{ maxHeight: 140 }}>
                      {attributes.body}
                    </Code>
                  </Stack>
                </Table.Td>
                <Table.Td ta="right" style={{ verticalAlign: 'top' }}>
                  <StateBadge word={attributes.state} good={isSettled[attributes.state] ?? null} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}
