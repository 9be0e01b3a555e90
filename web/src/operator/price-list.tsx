/** One price list: every difference to the prices of today, and making it count or withdrawing it. */

import { Badge, Button, Code, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { showTime, showWords } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { choices } from './filters.ts';
import { mayDo } from './permissions.ts';
import { type PriceList, PriceListState } from './price-list-state.tsx';

type Line = RecordOf<'/operator/v1/price_list_lines'>;

const changeColors: Readonly<Record<string, string>> = {
  new: 'teal',
  changed: 'yellow',
  removed: 'red',
  unchanged: 'gray',
};

export function PriceListPage() {
  const { id } = useParams({ from: '/operator/prices/$id' });
  return (
    <RecordPage
      noun="Price list"
      id={id}
      path={pathWith('/operator/v1/price_lists/{id}', { id })}
      list={{ to: '/operator/prices', label: 'All price lists' }}
    >
      {({ data }) => <Differences list={data} />}
    </RecordPage>
  );
}

const prices = (text: string | null) =>
  text === null ? (
    '–'
  ) : (
    <Code style={{ overflowWrap: 'anywhere' }}>{text.replaceAll(/[{}"]/g, '').replaceAll(',', ', ')}</Code>
  );

const lineColumns: readonly ListColumn<Line>[] = [
  column('subject', 'What', ({ attributes }) => attributes.subject, { sort: 'subject' }),
  column('change', 'Difference', ({ attributes }) => attributes.change, {
    cell: ({ attributes }) => (
      <Badge variant="light" color={changeColors[attributes.change] ?? 'gray'}>
        {attributes.change}
      </Badge>
    ),
  }),
  column('before', 'Before', ({ attributes }) => attributes.before ?? '', {
    secondary: true,
    cell: ({ attributes }) => prices(attributes.before),
  }),
  column('after', 'After', ({ attributes }) => attributes.after ?? '', {
    cell: ({ attributes }) => prices(attributes.after),
  }),
  column('line', 'Line', ({ attributes }) => String(attributes.line ?? ''), { sort: 'line', optional: true }),
];

function Differences({ list }: { list: PriceList }) {
  const { id, attributes } = list;
  const { data: session } = useSession();
  const isOpen = attributes.state === 'dry_run' || attributes.state === 'planned';
  return (
    <Page
      title={`Prices of ${showWords(attributes.kind).toLowerCase()}`}
      about={`Imported ${showTime(attributes.created_at)} by ${attributes.actor}${attributes.valid_from === null ? '' : ` · valid from ${showTime(attributes.valid_from)}`}`}
      actions={<PriceListState list={list} />}
    >
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {(['new', 'changed', 'removed', 'unchanged'] as const).map((change) => (
          <div key={change}>
            <Text size="sm" c="dimmed">
              {showWords(change)}
            </Text>
            <Text size="lg" fw={700}>
              {attributes[`${change}_count`].toLocaleString('en-GB')}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {isOpen && mayDo(session, 'move money') && <Confirm list={list} />}
      <ResourceList
        name="differences"
        path={pathWith('/operator/v1/price_list_lines')}
        fixed={{ 'filter[price_list.id]': id }}
        columns={lineColumns}
        defaultSort="subject"
        search={{ label: 'What is priced, exactly', parameters: (text) => ({ 'filter[subject]': text }) }}
        filters={[{ name: 'change', label: 'Difference', options: choices(Object.keys(changeColors)) }]}
        empty={<Empty title="The file has no lines" />}
      />
    </Page>
  );
}

function Confirm({ list: { id, attributes } }: { list: PriceList }) {
  const [from, setFrom] = useState('');
  const write = useWrite<'PATCH /operator/v1/price_lists/{id}'>();
  const send = (change: object) =>
    write.mutate({
      method: 'PATCH',
      path: pathWith('/operator/v1/price_lists/{id}', { id }),
      body: { data: { type: 'price_lists', id, attributes: change } },
    });
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        {attributes.state === 'dry_run' && (
          <>
            <TextInput
              label="Valid from"
              description="Empty: immediately"
              type="datetime-local"
              value={from}
              onChange={({ currentTarget }) => setFrom(currentTarget.value)}
            />
            <Button
              loading={write.isPending}
              onClick={() =>
                send({ dry_run: false, ...(from === '' ? {} : { valid_from: new Date(from).toISOString() }) })
              }
            >
              Make it count
            </Button>
          </>
        )}
        {attributes.state === 'planned' && (
          <Button color="red" variant="light" loading={write.isPending} onClick={() => send({ withdrawn: true })}>
            Withdraw
          </Button>
        )}
      </Group>
      <FormError text={write.error?.message} />
    </Stack>
  );
}
