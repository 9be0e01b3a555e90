/** Trunk groups: several trunks that a call is tried at in turn; a list, and the form of one. */

import { Table, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type Many, type One, type Resource, relatedMany, type Trunk } from '../api/documents.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { trunkSource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Field } from '../parts/fields.tsx';
import { showDate } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { RouteTestOf } from '../parts/route-test.tsx';

type TrunkGroup = RecordOf<'/v3/voice_in_trunk_groups'>;

const path = '/v3/voice_in_trunk_groups';

const trunksOf = (group: TrunkGroup, document: Many<TrunkGroup> | One<TrunkGroup>) =>
  relatedMany(document, group, 'voice_in_trunks').sort((a, b) => a.attributes.priority - b.attributes.priority);

const namesOf = (group: TrunkGroup, document: Many<TrunkGroup>) =>
  trunksOf(group, document)
    .map(({ attributes }) => attributes.name)
    .join(', ');

const columns: readonly ListColumn<TrunkGroup>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/trunk-groups/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('trunks', 'Trunks', namesOf),
  column('limit', 'Calls at a time', ({ attributes }) => String(attributes.capacity_limit ?? ''), {
    sort: 'capacity_limit',
    secondary: true,
    cell: ({ attributes }) => attributes.capacity_limit ?? 'no limit',
  }),
  column('created', 'Added', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showDate(attributes.created_at),
  }),
];

export function TrunkGroups() {
  return (
    <Page
      title="Trunk groups"
      about="A group tries its trunks in turn: the lowest priority first, those of equal priority by their weight."
      actions={<ButtonLink to="/trunk-groups/new">Add a group</ButtonLink>}
    >
      <ResourceList
        name="trunk groups"
        path={pathWith(path)}
        fixed={{ include: 'voice_in_trunks' }}
        columns={columns}
        defaultSort="name"
        search={{ label: 'Part of the name', type: 'voice_in_trunk_groups' }}
        empty={
          <Empty title="No trunk groups yet" action={<ButtonLink to="/trunk-groups/new">Add a group</ButtonLink>}>
            Put two trunks into a group, and calls reach the second one when the first does not answer.
          </Empty>
        }
      />
    </Page>
  );
}

function useFields(): readonly Field[] {
  return [
    { name: 'name', label: 'Name', about: 'Must be unique among trunks and trunk groups.', required: true },
    {
      name: 'capacity_limit',
      label: 'Calls at a time',
      about: 'The most for the whole group; empty sets no limit.',
      kind: 'number',
    },
    {
      name: 'voice_in_trunks',
      label: 'Trunks',
      about: 'A trunk belongs to one group at most. Priority and weight are set at each trunk.',
      kind: 'several',
      source: trunkSource,
    },
  ];
}

export function NewTrunkGroup() {
  const navigate = useNavigate();
  return (
    <Page title="New trunk group" about="Several trunks that a call is tried at in turn.">
      <RecordForm
        type="voice_in_trunk_groups"
        route={path}
        id={null}
        fields={useFields()}
        initial={{ voice_in_trunks: [] }}
        links={{ voice_in_trunks: 'voice_in_trunks' }}
        submit="Add group"
        onSaved={() => navigate({ to: '/trunk-groups' })}
      />
    </Page>
  );
}

export function TrunkGroupPage() {
  const { id } = useParams({ from: '/trunk-groups/$id' });
  return (
    <RecordPage
      noun="Trunk group"
      id={id}
      path={pathWith(`${path}/{id}`, { id, include: 'voice_in_trunks' })}
      list={{ to: '/trunk-groups', label: 'All trunk groups' }}
    >
      {(document) => <GroupForm key={id} document={document} />}
    </RecordPage>
  );
}

function GroupForm({ document }: { document: One<TrunkGroup> }) {
  const navigate = useNavigate();
  const group = document.data;
  const trunks = trunksOf(group, document);
  return (
    <Page
      title={group.attributes.name}
      about="Several trunks that a call is tried at in turn."
      actions={
        <ConfirmButton
          label="Remove group"
          question="Its trunks are removed with it. A group that a number rings at cannot be removed."
          act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id: group.id }))}
          onDone={() => navigate({ to: '/trunk-groups' })}
        />
      }
    >
      <RecordForm
        type="voice_in_trunk_groups"
        route={path}
        id={group.id}
        fields={useFields()}
        initial={{
          name: group.attributes.name,
          capacity_limit: group.attributes.capacity_limit,
          voice_in_trunks: trunks.map(({ id }) => id),
        }}
        links={{ voice_in_trunks: 'voice_in_trunks' }}
        submit="Save group"
        onSaved={() => navigate({ to: '/trunk-groups' })}
      />
      <Order trunks={trunks} />
      <RouteTestOf link="voice_in_trunk_group" id={group.id} />
    </Page>
  );
}

/** In which order the trunks are tried. */
function Order({ trunks }: { trunks: readonly Resource<Trunk['attributes']>[] }) {
  if (trunks.length === 0) return <Text size="sm">The group has no trunks: calls to it are refused.</Text>;
  return (
    <Table aria-label="Order of the trunks" maw={620} withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Trunk</Table.Th>
          <Table.Th ta="right">Priority</Table.Th>
          <Table.Th ta="right">Weight</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {trunks.map(({ id, attributes }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <RouteLink to="/trunks/$id" params={{ id }}>
                {attributes.name}
              </RouteLink>
            </Table.Td>
            <Table.Td ta="right">{attributes.priority}</Table.Td>
            <Table.Td ta="right">{attributes.weight}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
