/** Capacity: pools of channels, buying more of them, and groups of numbers that share channels. */

import { Button, Group, Modal, SimpleGrid, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Many, related } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { numberSource, poolSource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Field } from '../parts/fields.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { PoolCard } from './capacity-pool.tsx';

type SharedGroup = RecordOf<'/v3/shared_capacity_groups'>;

export function Capacity() {
  const pools = useRead(pathWith('/v3/capacity_pools', { include: 'countries,qty_based_pricings' }));
  return (
    <Page
      title="Capacity"
      about="A channel carries one call at a time. Numbers may have channels included; more come from a pool."
    >
      {pools.error && <Failure error={pools.error} retry={() => pools.refetch()} />}
      {pools.isPending && <Waiting />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {pools.data?.data.map((pool) => (
          <PoolCard key={pool.id} pool={pool} document={pools.data} />
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Shared groups
        </Title>
        <GroupButton label="Add a shared group" group={null} dids={[]} />
      </Group>
      <SharedGroups />
    </Page>
  );
}

const poolOf = (group: SharedGroup, document: Many<SharedGroup>) =>
  related(document, group, 'capacity_pool')?.attributes.name ?? '';
const numbersOf = (group: SharedGroup) => {
  const links = group.relationships?.dids?.data;
  return Array.isArray(links) ? links.map(({ id }) => id) : [];
};

const columns: readonly ListColumn<SharedGroup>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('pool', 'Pool', poolOf, { secondary: true }),
  column('shared', 'Channels', ({ attributes }) => String(attributes.shared_channels_count), {
    sort: 'shared_channels_count',
  }),
  column('metered', 'Metered', ({ attributes }) => String(attributes.metered_channels_count), {
    sort: 'metered_channels_count',
    secondary: true,
  }),
  column('numbers', 'Numbers', (group) => String(numbersOf(group).length)),
  column('actions', 'Actions', () => '', { cell: (group) => <GroupActions group={group} /> }),
];

function SharedGroups() {
  return (
    <ResourceList
      name="shared groups"
      path={pathWith('/v3/shared_capacity_groups')}
      fixed={{ include: 'capacity_pool,dids' }}
      columns={columns}
      defaultSort="name"
      search={{ label: 'Part of the name', type: 'shared_capacity_groups' }}
      empty={
        <Empty title="No shared groups yet">
          Buy channels, then add a group: its numbers share them, so that few channels serve many numbers.
        </Empty>
      }
    />
  );
}

function GroupActions({ group }: { group: SharedGroup }) {
  return (
    <Group gap={4} wrap="nowrap">
      <GroupButton label="Change" group={group} dids={numbersOf(group)} />
      <ConfirmButton
        label="Remove"
        about={`Remove ${group.attributes.name}`}
        question="Its channels become free again; its numbers keep only the channels of their own."
        act={(send) => send('DELETE', pathWith('/v3/shared_capacity_groups/{id}', { id: group.id }))}
      />
    </Group>
  );
}

function GroupButton({ label, group, dids }: { label: string; group: SharedGroup | null; dids: string[] }) {
  const [opened, { open, close }] = useDisclosure(false);
  const about = group === null ? label : `${label} ${group.attributes.name}`;
  return (
    <>
      <Button
        size={group === null ? 'sm' : 'compact-sm'}
        variant={group === null ? 'default' : 'subtle'}
        onClick={open}
        aria-label={about}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={about}>
        {opened && <GroupForm group={group} dids={dids} onSaved={close} />}
      </Modal>
    </>
  );
}

function GroupForm({ group, dids, onSaved }: { group: SharedGroup | null; dids: string[]; onSaved: () => void }) {
  const pool = group?.relationships?.capacity_pool?.data;
  const fields: Field[] = [
    { name: 'name', label: 'Name', required: true },
    {
      name: 'capacity_pool',
      label: 'Pool',
      about: 'Where its channels come from.',
      kind: 'select',
      required: true,
      source: poolSource,
    },
    {
      name: 'shared_channels_count',
      label: 'Channels',
      about: 'Calls at a time that its numbers share.',
      kind: 'number',
    },
    {
      name: 'metered_channels_count',
      label: 'Metered channels',
      about: 'Further calls at a time, charged by the minute.',
      kind: 'number',
    },
    { name: 'dids', label: 'Numbers', kind: 'several', source: numberSource() },
  ];
  return (
    <RecordForm
      type="shared_capacity_groups"
      route="/v3/shared_capacity_groups"
      id={group?.id ?? null}
      fields={fields}
      initial={{
        name: group?.attributes.name ?? '',
        shared_channels_count: group?.attributes.shared_channels_count ?? 1,
        metered_channels_count: group?.attributes.metered_channels_count ?? 0,
        capacity_pool: pool && !Array.isArray(pool) ? pool.id : null,
        dids,
      }}
      links={{ capacity_pool: 'capacity_pools', dids: 'dids' }}
      submit={group === null ? 'Add group' : 'Save group'}
      onSaved={onSaved}
    />
  );
}
