/** One number: what it is, where it rings, what happened to it. */
import { Alert, Button, Group, Paper, Select, SimpleGrid, Stack, Table, Text, Textarea, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  type Country,
  type Did,
  type DidGroup,
  type HistoryEvent,
  type Many,
  type Named,
  type One,
  related,
  type Trunk,
} from '../api/documents.ts';
import { fieldErrors, pathWith, useRead, useWrite } from '../api/queries.ts';
import { showDate, showNumber, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Empty, Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { DidState } from '../parts/states.tsx';

export function NumberPage() {
  const { id } = useParams({ from: '/numbers/$id' });
  const read = useRead<One<Did>>(
    pathWith(`/v3/dids/${encodeURIComponent(id)}`, {
      include: 'did_group.country,did_group.did_group_type,voice_in_trunk,voice_in_trunk_group,order',
    }),
  );
  if (read.error) {
    return (
      <Page title="Number">
        <Failure error={read.error} />
        <RouteLink to="/numbers">All numbers</RouteLink>
      </Page>
    );
  }
  if (read.data === undefined || read.data.data.id !== id) return <Waiting />;
  return <NumberDetails key={id} document={read.data} />;
}

function NumberDetails({ document }: { document: One<Did> }) {
  const did = document.data;
  const { attributes } = did;
  const group = related<DidGroup['attributes']>(document, did, 'did_group');
  const country = related<Country['attributes']>(document, group, 'country');
  const kind = related<Named['attributes']>(document, group, 'did_group_type');
  const order = related<{ reference: string }>(document, did, 'order');
  return (
    <Page
      title={showNumber(attributes.number)}
      about={attributes.description ?? undefined}
      actions={<DidState did={did} />}
    >
      {attributes.awaiting_registration && (
        <Alert color="yellow" variant="light" title="This number waits for registration">
          It takes calls once the paperwork for it is approved. Submit it under <em>Regulation</em> of the{' '}
          <a href="/docs">API</a>.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <RouteForm did={did} />
        <DescriptionForm did={did} />
      </SimpleGrid>
      <Paper withBorder>
        <Title order={2} size="h5" p="md" pb="xs">
          Details
        </Title>
        <Table variant="vertical" layout="fixed" aria-label="Details">
          <Table.Tbody>
            <Detail name="Country">{country?.attributes.name}</Detail>
            <Detail name="Place">{group?.attributes.area_name}</Detail>
            <Detail name="Kind">{kind?.attributes.name}</Detail>
            <Detail name="Can do">{group?.attributes.features.map(showWords).join(', ')}</Detail>
            <Detail name="Channels included">{attributes.channels_included_count}</Detail>
            <Detail name="Bought">{showDate(attributes.created_at)}</Detail>
            <Detail name="Paid until">{showDate(attributes.expires_at)}</Detail>
            <Detail name="Order">
              {order && (
                <RouteLink to="/orders/$id" params={{ id: order.id }}>
                  {order.attributes.reference}
                </RouteLink>
              )}
            </Detail>
          </Table.Tbody>
        </Table>
      </Paper>
      <History number={attributes.number} />
    </Page>
  );
}

const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th w={150}>{name}</Table.Th>
    <Table.Td>{children}</Table.Td>
  </Table.Tr>
);

const update = (did: Did, change: object) =>
  ({ method: 'PATCH', path: `/v3/dids/${did.id}`, body: { data: { id: did.id, type: 'dids', ...change } } }) as const;

function RouteForm({ did }: { did: Did }) {
  const trunks = useRead<Many<Trunk>>(pathWith('/v3/voice_in_trunks', { sort: 'name', 'page[size]': 100 }));
  const link = did.relationships?.voice_in_trunk?.data;
  const current = link && !Array.isArray(link) ? link.id : null;
  const grouped = did.relationships?.voice_in_trunk_group?.data;
  const [chosen, setChosen] = useState(current);
  const write = useWrite();
  const errors = fieldErrors(write.error);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Where it rings
        </Title>
        <FormError text={errors['']} />
        <Select
          label="Trunk"
          description={
            grouped
              ? 'Its calls go to a trunk group now; choosing a trunk replaces that.'
              : 'Calls to the number are sent there.'
          }
          placeholder="Nowhere"
          searchable
          clearable
          nothingFoundMessage="No trunk has this name"
          data={(trunks.data?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }))}
          value={chosen}
          onChange={setChosen}
          error={errors.voice_in_trunk}
        />
        <Group justify="space-between">
          <RouteLink to="/trunks/new">Add a trunk</RouteLink>
          <Button
            disabled={chosen === current}
            loading={write.isPending}
            onClick={() =>
              write.mutate(
                update(did, {
                  relationships: {
                    voice_in_trunk: { data: chosen === null ? null : { type: 'voice_in_trunks', id: chosen } },
                    ...(grouped && chosen !== null ? { voice_in_trunk_group: { data: null } } : {}),
                  },
                }),
              )
            }
          >
            Save route
          </Button>
        </Group>
        {write.isSuccess && chosen === current && (
          <Text size="sm" c="teal" role="status">
            Saved.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function DescriptionForm({ did }: { did: Did }) {
  const stored = did.attributes.description ?? '';
  const [text, setText] = useState(stored);
  const write = useWrite();
  const errors = fieldErrors(write.error);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Description
        </Title>
        <FormError text={errors['']} />
        <Textarea
          label="Your own note"
          description="Only you see it; lists can be searched for it."
          autosize
          minRows={1}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={errors.description}
        />
        <Group justify="flex-end">
          {write.isSuccess && text === stored && (
            <Text size="sm" c="teal" role="status">
              Saved.
            </Text>
          )}
          <Button
            variant="default"
            disabled={text === stored}
            loading={write.isPending}
            onClick={() => write.mutate(update(did, { attributes: { description: text === '' ? null : text } }))}
          >
            Save description
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function History({ number }: { number: string }) {
  const read = useRead<Many<HistoryEvent>>(
    pathWith('/v3/did_history', { 'filter[did_number]': number, sort: '-created_at', 'page[size]': 25 }),
  );
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        History
      </Title>
      {read.data?.data.length === 0 && <Empty title="Nothing happened in the last 90 days" />}
      {read.data && read.data.data.length > 0 && (
        <Table aria-label="History" verticalSpacing="xs">
          <Table.Tbody>
            {read.data.data.map(({ id, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>{showTime(attributes.created_at)}</Table.Td>
                <Table.Td>{showWords(attributes.action)}</Table.Td>
                <Table.Td c="dimmed">{showWords(attributes.method)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}
