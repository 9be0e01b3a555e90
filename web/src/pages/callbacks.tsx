/** Callbacks: the log of what was sent to receivers, a test, replaying a window, and the secret that signs. */

import { Button, Group, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { showTime, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ReplayWindow } from '../parts/replay-window.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { type Callback, isGood } from './callback.tsx';

const columns: readonly ListColumn<Callback>[] = [
  column('created', 'Created', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    cell: ({ id, attributes }) => (
      <RouteLink to="/callbacks/$id" params={{ id }}>
        {showTime(attributes.created_at)}
      </RouteLink>
    ),
  }),
  column('kind', 'About', ({ attributes }) => showWords(attributes.kind), { sort: 'kind' }),
  column('url', 'Receiver', ({ attributes }) => attributes.url, {
    secondary: true,
    cell: ({ attributes }) => <span style={{ overflowWrap: 'anywhere' }}>{attributes.url}</span>,
  }),
  column(
    'response',
    'Last response',
    ({ attributes }) => String(attributes.last_status ?? attributes.last_error ?? ''),
    { secondary: true },
  ),
  column('attempts', 'Attempts', ({ attributes }) => String(attributes.attempts), { optional: true }),
  column('status', 'State', ({ attributes }) => attributes.status, {
    sort: 'status',
    cell: ({ attributes }) => <StateBadge word={attributes.status} good={isGood[attributes.status] ?? null} />,
  }),
];

export function Callbacks() {
  return (
    <Page
      title="Callbacks"
      about="What was sent to your programs when an order, an export or a verification was done. Kept for 30 days."
      actions={
        <>
          <ButtonLink to="/signatures" variant="default">
            Signature debugger
          </ButtonLink>
          <ReplayWindow path={pathWith('/panel/v1/callback_replays')} noun="callbacks" />
          <TestButton />
        </>
      }
    >
      <ResourceList
        name="callbacks"
        path={pathWith('/panel/v1/callbacks')}
        columns={columns}
        defaultSort="-created_at"
        every={5_000}
        search={{ label: 'Part of the receiver', parameters: (text) => ({ 'filter[url_contains]': text }) }}
        filters={[
          {
            name: 'status',
            label: 'State',
            options: ['pending', 'delivered', 'failed', 'dropped', 'merged'].map((value) => ({
              value,
              label: showWords(value),
            })),
          },
        ]}
        empty={
          <Empty title="No callbacks yet">
            Name a callback URL when you order, export or submit paperwork, or send a test.
          </Empty>
        }
      />
      <Secret />
    </Page>
  );
}

function TestButton() {
  const [opened, { open, close }] = useDisclosure(false);
  const [url, setUrl] = useState('');
  const send = useWrite<'POST /panel/v1/test_callbacks'>(close);
  return (
    <>
      <Button onClick={open}>Send a test</Button>
      <Modal opened={opened} onClose={close} title="Send a test callback">
        <Stack>
          <TextInput
            label="Receiver"
            description="Gets a signed form by POST, like the callback of an order."
            placeholder="https://example.com/hooks"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <FormError text={send.error?.message} />
          <Group justify="flex-end">
            <Button
              loading={send.isPending}
              onClick={() => send.mutate({ method: 'POST', path: pathWith('/panel/v1/test_callbacks'), body: { url } })}
            >
              Send
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** The secret that signs callbacks; without one the API key of each request signs. */
function Secret() {
  const { data: session } = useSession();
  const id = session?.account?.id ?? '';
  const path = pathWith('/panel/v1/account_settings/{id}', { id });
  const read = useRead(id === '' ? null : path);
  const [secret, setSecret] = useState('');
  const save = useWrite<'PATCH /panel/v1/account_settings/{id}'>(() => setSecret(''));
  const write = (value: string | null) =>
    save.mutate({
      method: 'PATCH',
      path,
      body: { data: { id, type: 'account_settings', attributes: { callback_secret: value } } },
    });
  const isSet = read.data?.data.attributes.has_callback_secret === true;
  return (
    <Paper withBorder p="md" component="section" aria-label="Callback secret">
      <Stack>
        <Title order={2} size="h5">
          Callback secret
        </Title>
        <Text size="sm" c="dimmed">
          {isSet
            ? 'A secret of your own signs all callbacks.'
            : 'The API key that asked for a callback signs it. A secret of your own stays the same when keys change.'}
        </Text>
        <Group align="flex-end">
          <TextInput
            label={isSet ? 'New secret' : 'Secret'}
            autoComplete="off"
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          />
          <Button variant="default" disabled={secret === ''} loading={save.isPending} onClick={() => write(secret)}>
            Set secret
          </Button>
          {isSet && (
            <Button variant="subtle" color="red" onClick={() => write(null)}>
              Sign with API keys again
            </Button>
          )}
        </Group>
        <FormError text={fieldErrors(save.error)['']} />
      </Stack>
    </Paper>
  );
}
