/** Call events: where each stream goes, the log of events, and sending them again. */

import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useWrite } from '../api/acts.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Field } from '../parts/fields.tsx';
import { showTime, showWords } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Failure, FormError, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { ReplayWindow } from '../parts/replay-window.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { eventType, isSettled, StateBadge } from '../parts/states.tsx';

type Endpoint = RecordOf<'/panel/v1/call_event_endpoints'>;
type CallEvent = RecordOf<'/panel/v1/call_events'>;

const streams: Readonly<Record<string, { title: string; about: string }>> = {
  voice_in_events: { title: 'Inbound events', about: 'Start, answer and end of each inbound call.' },
  voice_out_events: { title: 'Outbound events', about: 'Start, answer and end of each outbound call.' },
  voice_in_cdr: { title: 'Inbound records', about: 'The record of each inbound call, when it has ended.' },
  voice_out_cdr: { title: 'Outbound records', about: 'The record of each outbound call, when it has ended.' },
};
const path = '/panel/v1/call_event_endpoints';

export function Events() {
  const endpoints = useRead(pathWith(path));
  return (
    <Page
      title="Call events"
      about="Your programs hear about calls as they happen: each stream is sent to an address of yours."
      actions={<ReplayWindow path={pathWith('/panel/v1/call_event_replays')} noun="events" />}
    >
      {endpoints.error && <Failure error={endpoints.error} />}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 4 }}>
        {Object.entries(streams).map(([stream, words]) => (
          <EndpointCard
            key={stream}
            stream={stream}
            {...words}
            endpoint={endpoints.data?.data.find(({ attributes }) => attributes.stream === stream)}
          />
        ))}
      </SimpleGrid>
      <ResourceList
        name="call events"
        path={pathWith('/panel/v1/call_events')}
        columns={columns}
        defaultSort="-created_at"
        every={5_000}
        search={{
          label: 'Text, such as a number',
          parameters: (text) => ({ 'filter[body_contains]': text }),
        }}
        filters={[
          {
            name: 'stream',
            label: 'Stream',
            options: Object.entries(streams).map(([value, { title }]) => ({ value, label: title })),
          },
          {
            name: 'state',
            label: 'State',
            options: ['pending', 'delivered', 'failed'].map((value) => ({ value, label: showWords(value) })),
          },
        ]}
        empty={<Empty title="No events yet">Set an endpoint above, then call one of your numbers.</Empty>}
      />
    </Page>
  );
}

interface EndpointCardProps {
  stream: string;
  title: string;
  about: string;
  endpoint: Endpoint | undefined;
}

const fields: readonly Field[] = [
  { name: 'url', label: 'Address', about: 'http or https.', required: true },
  { name: 'gzip', label: 'Compress bodies', kind: 'switch' },
  { name: 'username', label: 'User name', about: 'For basic authentication; leave empty to send none.' },
  { name: 'password', label: 'Password', kind: 'password' },
];

function EndpointCard({ stream, title, about, endpoint }: EndpointCardProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Paper withBorder p="md">
      <Stack gap="xs" h="100%" justify="space-between">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {endpoint ? endpoint.attributes.url : 'Sent nowhere.'}
        </Text>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            onClick={open}
            aria-label={`${endpoint ? 'Change' : 'Set'} endpoint of ${title.toLowerCase()}`}
          >
            {endpoint ? 'Change' : 'Set endpoint'}
          </Button>
          {endpoint && (
            <ConfirmButton
              label="Remove"
              about={`Remove endpoint of ${title.toLowerCase()}`}
              question="Events of this stream are no longer sent. Those that wait are given up."
              act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id: endpoint.id }))}
            />
          )}
        </Group>
      </Stack>
      <Modal opened={opened} onClose={close} title={title}>
        {opened && (
          <RecordForm
            type="call_event_endpoints"
            route={path}
            id={endpoint?.id ?? null}
            fields={fields}
            initial={{ ...(endpoint?.attributes ?? { gzip: false }), password: null }}
            write={({ password, ...attributes }) => ({
              ...attributes,
              ...(endpoint ? {} : { stream }),
              ...(password === null ? {} : { password }),
            })}
            submit="Save endpoint"
            onSaved={close}
          />
        )}
      </Modal>
    </Paper>
  );
}

const columns: readonly ListColumn<CallEvent>[] = [
  column('created', 'Time', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('type', 'Event', ({ attributes }) => eventType(attributes.body)),
  column('call', 'Call id', ({ attributes }) => attributes.call_id, { optional: true }),
  column('body', 'Content', ({ attributes }) => attributes.body, { optional: true }),
  column(
    'response',
    'Last response',
    ({ attributes }) => String(attributes.last_status ?? attributes.last_error ?? ''),
    { secondary: true },
  ),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => <StateBadge word={attributes.state} good={isSettled[attributes.state] ?? null} />,
  }),
  column('actions', 'Actions', () => '', { cell: (event) => <Replay event={event} /> }),
];

function Replay({ event: { id, attributes } }: { event: CallEvent }) {
  const replay = useWrite<'PATCH /panel/v1/call_events/{id}'>();
  if (attributes.state === 'pending') return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        loading={replay.isPending}
        onClick={() =>
          replay.mutate({
            method: 'PATCH',
            path: pathWith('/panel/v1/call_events/{id}', { id }),
            body: { data: { id, type: 'call_events', attributes: { replay: true } } },
          })
        }
      >
        Send again
      </Button>
      <FormError text={replay.error?.message} />
    </>
  );
}
