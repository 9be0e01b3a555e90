/** One number: what it is, where it rings, what happened to it. */

import { Alert, Button, Group, Paper, Select, SimpleGrid, Stack, Table, Text, Textarea, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type Did, linkOf, type One, related } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import { trunkGroupSource, trunkSource } from '../parts/choices.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Details } from '../parts/details.tsx';
import { dateOrDash, showDate, showNumber, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { looks, useChoices } from '../parts/picker.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { RouteTest } from '../parts/route-test.tsx';
import { DidState } from '../parts/states.tsx';

export function NumberPage() {
  const { id } = useParams({ from: '/numbers/$id' });
  return (
    <RecordPage
      noun="Number"
      id={id}
      path={pathWith('/v3/dids/{id}', {
        id,
        include: 'did_group.country,did_group.did_group_type,voice_in_trunk,voice_in_trunk_group,order',
      })}
      list={{ to: '/numbers', label: 'All numbers' }}
    >
      {(document) => <NumberDetails key={id} document={document} />}
    </RecordPage>
  );
}

function NumberDetails({ document }: { document: One<Did> }) {
  const did = document.data;
  const { attributes } = did;
  const group = related(document, did, 'did_group');
  const country = related(document, group, 'country');
  const kind = related(document, group, 'did_group_type');
  const order = related(document, did, 'order');
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
          ['Paid until', dateOrDash(attributes.expires_at)],
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

type Change = Omit<BodyOf<'PATCH /v3/dids/{id}'>['data'], 'id' | 'type'>;

const updated = (did: Did, change: Change) => ({ data: { id: did.id, type: 'dids' as const, ...change } });
const update = (did: Did, change: Change) =>
  ({ method: 'PATCH', path: pathWith('/v3/dids/{id}', { id: did.id }), body: updated(did, change) }) as const;

/** A number that is cancelled works until its paid time is over, and can be kept until then. */
function EndOrKeep({ did }: { did: Did }) {
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  if (did.attributes.terminated) {
    return (
      <>
        <Button
          size="compact-sm"
          variant="default"
          loading={write.isPending}
          onClick={() => write.mutate(update(did, { attributes: { terminated: false } }))}
        >
          Keep this number
        </Button>
        <FormError text={write.error?.message} />
      </>
    );
  }
  return (
    <ConfirmButton
      label="Cancel number"
      question={`It works until ${did.attributes.expires_at === null ? 'its paid time is over' : showDate(did.attributes.expires_at)}, and can be kept until then. Afterwards it is gone.`}
      act={(send) =>
        send('PATCH', pathWith('/v3/dids/{id}', { id: did.id }), updated(did, { attributes: { terminated: true } }))
      }
    />
  );
}

function RouteForm({ did }: { did: Did }) {
  const linked = (name: 'voice_in_trunk' | 'voice_in_trunk_group') => linkOf(did, name);
  const current = linked('voice_in_trunk') ?? linked('voice_in_trunk_group');
  const [chosen, setChosen] = useState(current);
  const [isGroup, setIsGroup] = useState(linked('voice_in_trunk') === null && current !== null);
  const trunks = useChoices(
    trunkSource,
    useMemo(() => (chosen === null || isGroup ? [] : [chosen]), [chosen, isGroup]),
  );
  const groups = useChoices(
    trunkGroupSource,
    useMemo(() => (chosen !== null && isGroup ? [chosen] : []), [chosen, isGroup]),
  );
  const choose = (id: string | null) => {
    setChosen(id);
    setIsGroup(groups.choices.some(({ value }) => value === id));
  };
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  const errors = fieldErrors(write.error);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Where it rings
        </Title>
        <Select
          label="Trunk"
          description="Calls to the number are sent there; a group tries its trunks in turn."
          placeholder="Nowhere"
          {...looks(trunks, groups)}
          clearable
          data={[
            { group: 'Trunks', items: trunks.choices },
            { group: 'Trunk groups', items: groups.choices },
          ]}
          value={chosen}
          onChange={choose}
          error={errors.voice_in_trunk ?? errors.voice_in_trunk_group}
        />
        <FormError text={errors['']} />
        <Group justify="space-between">
          <RouteLink to="/trunks/new">Add a trunk</RouteLink>
          <Button
            disabled={chosen === current}
            loading={write.isPending}
            onClick={() =>
              write.mutate(
                update(did, {
                  relationships: routeTo(chosen, isGroup),
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
    voice_in_trunk: { data: id === null || isGroup ? null : { type: 'voice_in_trunks' as const, id } },
    voice_in_trunk_group: { data: id !== null && isGroup ? { type: 'voice_in_trunk_groups' as const, id } : null },
  };
}

function DescriptionForm({ did }: { did: Did }) {
  const stored = did.attributes.description ?? '';
  const [text, setText] = useState(stored);
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  const errors = fieldErrors(write.error);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Description
        </Title>
        <Textarea
          label="Your own note"
          description="Only you see it; lists can be searched for it."
          autosize
          minRows={1}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={errors.description}
        />
        <FormError text={errors['']} />
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
  const read = useRead(
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
