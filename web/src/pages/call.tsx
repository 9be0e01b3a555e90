/** One inbound call: both legs as a ladder, each step with its reason, and the events that were sent for it. */
import { Code, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Call, Many, One, Resource } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { useCallTrace } from '../parts/call-trace.tsx';
import { Details } from '../parts/details.tsx';
import { showMoney, showNumber, showSeconds, showTime } from '../parts/format.ts';
import { Ladder, type Step } from '../parts/ladder.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { CallResult, eventType, isSettled, StateBadge } from '../parts/states.tsx';

type Attempt = Resource<{
  attempt: number;
  time_start: string;
  time_connect: string | null;
  time_end: string;
  success: boolean;
  disconnect_code: number;
  response: string;
  disconnect_initiator: string;
  voice_in_trunk_name: string | null;
  destination: string | null;
}>;
type CallEvent = Resource<{
  stream: string;
  body: string;
  state: string;
  last_status: number | null;
  created_at: string;
}>;

export function CallPage() {
  const { id } = useParams({ from: '/calls/$id' });
  return (
    <RecordPage<Call>
      noun="Call"
      id={id}
      path={`/panel/v1/calls/${encodeURIComponent(id)}`}
      list={{ to: '/calls', label: 'All calls' }}
    >
      {(document) => <CallDetails document={document} />}
    </RecordPage>
  );
}

function CallDetails({ document: { data: call } }: { document: One<Call> }) {
  const { attributes } = call;
  const attempts = useRead<Many<Attempt>>(
    pathWith('/panel/v1/call_attempts', { 'filter[call_id]': attributes.call_id, sort: 'attempt' }),
  );
  const trace = useCallTrace(attributes.call_id);
  return (
    <Page
      title={`${showNumber(attributes.src_number)} → ${showNumber(attributes.did_number)}`}
      about={`${showTime(attributes.time_start)} · ${showSeconds(attributes.duration)}`}
      actions={<CallResult call={attributes} />}
    >
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="sm">
          What happened
        </Title>
        {trace !== undefined && (
          <Ladder
            lanes={['Caller', 'Trunkline', 'Your trunk']}
            steps={trace?.hasMessages ? trace.steps : stepsOf(call, attempts.data?.data ?? [])}
            label="The legs of the call"
          />
        )}
        {trace?.hasMessages && (
          <Text size="xs" c="dimmed" mt="xs">
            These are the SIP messages as they were received and sent; open one to read it.
            {trace.dropped > 0 ? ` ${trace.dropped} more were not kept.` : ''}
          </Text>
        )}
      </Paper>
      {trace && !trace.hasMessages && trace.steps.length > 0 && <Reasons steps={trace.steps} />}
      <Details
        title="Details"
        rows={[
          ['Call id', <Code key="id">{attributes.call_id}</Code>],
          ['Ended by', attributes.disconnect_initiator],
          ['Reason', `${attributes.disconnect_code} ${attributes.response}`],
          ['Trunk', attributes.voice_in_trunk_name],
          ['Trunk group', attributes.trunk_group_name],
          ['Capacity group', attributes.capacity_group_name],
          ['Cost', showMoney(attributes.amount)],
        ]}
      />
      <Events callId={attributes.call_id} />
    </Page>
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

/** The steps as the records of the call tell them: for simulated calls, and those whose trace is no longer kept. */
function stepsOf({ attributes: call }: Call, attempts: readonly Attempt[]): Step[] {
  const steps: Step[] = [
    { arrow: { from: 0, to: 1, text: 'INVITE' }, note: `The call arrives for ${showNumber(call.did_number)}` },
  ];
  const tried = attempts.filter(({ attributes }) => attributes.voice_in_trunk_name !== null);
  for (const { attributes } of tried) {
    steps.push({
      arrow: { from: 1, to: 2, text: 'INVITE' },
      note: `Attempt ${attributes.attempt}: ${attributes.voice_in_trunk_name}, ${attributes.destination ?? ''}`,
    });
    if (!attributes.success) {
      const isLast = attributes.attempt === tried.length;
      steps.push({
        arrow: { from: 2, to: 1, text: `${attributes.disconnect_code}`, bad: true },
        note: `${attributes.response}: ${isLast ? 'nothing is left to try' : 'the next trunk is tried'}`,
      });
    }
  }
  if (!call.success) {
    const note = tried.length === 0 ? `Refused before any trunk was tried: ${call.response}` : call.response;
    return [...steps, { arrow: { from: 1, to: 0, text: `${call.disconnect_code}`, bad: true }, note }];
  }
  const byCaller = call.disconnect_initiator !== 'termination';
  return [
    ...steps,
    { arrow: { from: 2, to: 1, text: '200' }, note: 'Your equipment answers' },
    { arrow: { from: 1, to: 0, text: '200' }, note: 'The caller is connected' },
    {
      arrow: { from: byCaller ? 0 : 2, to: 1, text: 'BYE' },
      note: `${byCaller ? 'The caller' : 'Your side'} hangs up after ${showSeconds(call.duration)}`,
    },
  ];
}

function Events({ callId }: { callId: string }) {
  const read = useRead<Many<CallEvent>>(
    pathWith('/panel/v1/call_events', { 'filter[call_id]': callId, sort: 'created_at' }),
  );
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
