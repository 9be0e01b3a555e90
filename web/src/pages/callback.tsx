/** One callback with its attempts: each request and its response, and sending it again. */

import { Alert, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useWrite } from '../api/acts.ts';
import type { One } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { showTime, showWords } from '../parts/format.ts';
import { FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';

export type Callback = RecordOf<'/panel/v1/callbacks'>;
type Attempt = RecordOf<'/panel/v1/callback_attempts'>;

export const isGood: Readonly<Record<string, boolean>> = { delivered: true, failed: false, dropped: false };

export function CallbackPage() {
  const { id } = useParams({ from: '/callbacks/$id' });
  return (
    <RecordPage
      noun="Callback"
      id={id}
      path={pathWith('/panel/v1/callbacks/{id}', { id })}
      list={{ to: '/callbacks', label: 'All callbacks' }}
      every={3_000}
    >
      {(document) => <CallbackDetails document={document} />}
    </RecordPage>
  );
}

function CallbackDetails({ document: { data: callback } }: { document: One<Callback> }) {
  const { id, attributes } = callback;
  const attempts = useRead(pathWith('/panel/v1/callback_attempts', { 'filter[callback.id]': id }), useFallback(3_000));
  const replay = useWrite<'PATCH /panel/v1/callbacks/{id}'>();
  return (
    <Page
      title={`Callback about ${showWords(attributes.kind).toLowerCase()}`}
      about={`${attributes.method.toUpperCase()} ${attributes.url}`}
      actions={
        <>
          <StateBadge word={attributes.status} good={isGood[attributes.status] ?? null} />
          <Button
            loading={replay.isPending}
            onClick={() =>
              replay.mutate({
                method: 'PATCH',
                path: pathWith('/panel/v1/callbacks/{id}', { id }),
                body: { data: { id, type: 'callbacks', attributes: { replay: true } } },
              })
            }
          >
            Send again
          </Button>
          <FormError text={replay.error?.message} />
        </>
      }
    >
      <Details
        title="Details"
        rows={[
          ['Id', <Code key="id">{id}</Code>],
          ['Says', <Code key="payload">{attributes.payload}</Code>],
          ['Created', showTime(attributes.created_at)],
          ['Next attempt', attributes.next_attempt_at && showTime(attributes.next_attempt_at)],
        ]}
      />
      <Title order={2} size="h4">
        Attempts
      </Title>
      {attempts.data?.data.length === 0 && <Text size="sm">It has not been sent yet.</Text>}
      {attempts.data?.data.map((attempt) => (
        <AttemptCard key={attempt.id} attempt={attempt} />
      ))}
    </Page>
  );
}

function AttemptCard({ attempt: { attributes } }: { attempt: Attempt }) {
  const succeeded = attributes.status !== null && attributes.status >= 200 && attributes.status < 299;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            {showTime(attributes.attempted_at)} · {attributes.duration_ms} ms
          </Text>
          <StateBadge word={attributes.status === null ? 'no response' : String(attributes.status)} good={succeeded} />
        </Group>
        <Code block tabIndex={0}>
          {requestText(attributes.request)}
        </Code>
        {attributes.error !== null && (
          <Alert color="red" variant="light">
            {attributes.error}
          </Alert>
        )}
        {attributes.response !== null && (
          <Code block tabIndex={0}>
            {attributes.response === '' ? '(empty response)' : attributes.response}
          </Code>
        )}
      </Stack>
    </Paper>
  );
}

/** The logged request as HTTP, in the form that the signature debugger takes. */
function requestText(json: string): string {
  const { method, url, headers, body } = JSON.parse(json) as {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string;
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', body ?? ''].join('\n').trimEnd();
}
