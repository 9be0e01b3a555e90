/** One number: what it is, where it rings, what happened to it. */
import { Alert, Button, Group, Paper, Select, SimpleGrid, Stack, Table, Text, Textarea, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Country,
  type Did,
  type DidGroup,
  type HistoryEvent,
  type Many,
  type Named,
  type One,
  related,
} from '../api/documents.ts';
import { fieldErrors, pathWith, useRead, useWrite } from '../api/queries.ts';
import { useNamed } from '../parts/choices.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Details } from '../parts/details.tsx';
import { showDate, showNumber, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Empty, Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { RouteTest } from '../parts/route-test.tsx';
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
      actions={
        <>
          <DidState did={did} />
          <EndOrKeep did={did} />
        </>
      }
    >
      {attributes.awaiting_registration && (
        <Alert color="yellow" variant="light" title="This number waits for registration">
          It takes calls once the paperwork for it is approved.{' '}
          <RouteLink to="/registrations/new" search={{ number: did.id }}>
            Register it now
          </RouteLink>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <RouteForm did={did} />
        <DescriptionForm did={did} />
      </SimpleGrid>
      <RouteTest number={attributes.number} />
      <Details
        title="Details"
        rows={[
          ['Country', country?.attributes.name],
          ['Place', group?.attributes.area_name],
          ['Kind', kind?.attributes.name],
          ['Can do', group?.attributes.features.map(showWords).join(', ')],
          ['Channels included', attributes.channels_included_count],
          ['Bought', showDate(attributes.created_at)],
          ['Paid until', showDate(attributes.expires_at)],
          [
            'Order',
            order && (
              <RouteLink to="/orders/$id" params={{ id: order.id }}>
                {order.attributes.reference}
              </RouteLink>
            ),
          ],
        ]}
      />
      <History number={attributes.number} />
    </Page>
  );
}

const update = (did: Did, change: object) =>
  ({ method: 'PATCH', path: `/v3/dids/${did.id}`, body: { data: { id: did.id, type: 'dids', ...change } } }) as const;

/** A number that is cancelled works until its paid time is over, and can be kept until then. */
function EndOrKeep({ did }: { did: Did }) {
  const write = useWrite();
  if (did.attributes.terminated) {
    return (
      <Button
        size="compact-sm"
        variant="default"
        loading={write.isPending}
        onClick={() => write.mutate(update(did, { attributes: { terminated: false } }))}
      >
        Keep this number
      </Button>
    );
  }
  return (
    <ConfirmButton
      label="Cancel number"
      question={`It works until ${showDate(did.attributes.expires_at)}, and can be kept until then. Afterwards it is gone.`}
      onConfirm={() => write.mutate(update(did, { attributes: { terminated: true } }))}
    />
  );
}

function RouteForm({ did }: { did: Did }) {
  const trunks = useNamed('/v3/voice_in_trunks');
  const groups = useNamed('/v3/voice_in_trunk_groups');
  const linked = (name: string) => {
    const link = did.relationships?.[name]?.data;
    return link && !Array.isArray(link) ? link.id : null;
  };
  const current = linked('voice_in_trunk') ?? linked('voice_in_trunk_group');
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
          description="Calls to the number are sent there; a group tries its trunks in turn."
          placeholder="Nowhere"
          searchable
          clearable
          nothingFoundMessage="No trunk has this name"
          data={[
            { group: 'Trunks', items: trunks },
            { group: 'Trunk groups', items: groups },
          ]}
          value={chosen}
          onChange={setChosen}
          error={errors.voice_in_trunk ?? errors.voice_in_trunk_group}
        />
        <Group justify="space-between">
          <RouteLink to="/trunks/new">Add a trunk</RouteLink>
          <Button
            disabled={chosen === current}
            loading={write.isPending}
            onClick={() =>
              write.mutate(
                update(did, {
                  relationships: routeTo(
                    chosen,
                    groups.some(({ value }) => value === chosen),
                  ),
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

/** A number rings at a trunk or at a group, never at both. */
function routeTo(id: string | null, isGroup: boolean) {
  return {
    voice_in_trunk: { data: id === null || isGroup ? null : { type: 'voice_in_trunks', id } },
    voice_in_trunk_group: { data: id !== null && isGroup ? { type: 'voice_in_trunk_groups', id } : null },
  };
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
