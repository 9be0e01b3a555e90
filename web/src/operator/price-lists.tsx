/** Price lists and rate decks from CSV: a dry run shows every difference, then the list is made to count or forgotten. */
import {
  Alert,
  Badge,
  Button,
  Code,
  FileInput,
  Group,
  List,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../api/base.ts';
import type { One, Resource } from '../api/documents.ts';
import { pathWith, useSession, useWrite } from '../api/queries.ts';
import { problemTexts, request } from '../api/request.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn, column, timeColumn } from './columns.tsx';
import { accountFilter, choices } from './filters.ts';
import { mayDo } from './permissions.ts';

type PriceList = Resource<{
  kind: string;
  valid_from: string | null;
  dry_run: boolean;
  state: 'dry_run' | 'planned' | 'valid' | 'withdrawn';
  new_count: number;
  changed_count: number;
  removed_count: number;
  unchanged_count: number;
  reason: string | null;
  actor: string;
  created_at: string;
}>;
type Line = Resource<{
  line: number | null;
  subject: string;
  change: string;
  before: string | null;
  after: string | null;
}>;

/** Kinds that need no carrier; those of a carrier are imported on the command line. */
const kinds = [
  'numbers',
  'channels',
  'emergency',
  'termination',
  'pstn_forwarding',
  'toll_free',
  'cnam_lookup',
  'verifications',
];
const stateColors = { dry_run: 'gray', planned: 'yellow', valid: 'teal', withdrawn: 'gray' } as const;
const changeColors: Readonly<Record<string, string>> = {
  new: 'teal',
  changed: 'yellow',
  removed: 'red',
  unchanged: 'gray',
};

const State = ({ list: { attributes } }: { list: PriceList }) => (
  <Badge variant="light" color={stateColors[attributes.state]}>
    {attributes.state.replaceAll('_', ' ')}
  </Badge>
);

const summary = ({ attributes }: PriceList): string =>
  `${attributes.new_count} new, ${attributes.changed_count} changed, ${attributes.removed_count} removed`;

const columns: readonly ListColumn<PriceList>[] = [
  timeColumn('created', 'Imported', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('kind', 'Prices of', ({ attributes }) => showWords(attributes.kind), {
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/prices/$id" params={{ id }}>
        {showWords(attributes.kind)}
      </RouteLink>
    ),
  }),
  accountColumn(),
  column('changes', 'Differences', summary),
  column('state', 'State', ({ attributes }) => attributes.state, { cell: (list) => <State list={list} /> }),
  timeColumn('from', 'Valid from', ({ attributes }) => attributes.valid_from, { sort: 'valid_from', secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason ?? '', { optional: true }),
];

export function PriceLists() {
  const { data: session } = useSession();
  return (
    <Page
      title="Price lists"
      about="Prices from CSV. A dry run shows every difference before anything counts; what was charged before keeps its price."
      actions={mayDo(session, 'move money') && <NewList />}
    >
      <ResourceList<PriceList>
        name="price lists"
        path="/operator/v1/price_lists"
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        filters={[
          { name: 'kind', label: 'Prices of', options: choices([...kinds, 'carrier']) },
          { name: 'state', label: 'State', options: choices(Object.keys(stateColors)) },
          accountFilter,
        ]}
        empty={
          <Empty title="No price list yet">
            Export the prices of today, change the file, and import it as a dry run.
          </Empty>
        }
      />
    </Page>
  );
}

function NewList() {
  const navigate = useNavigate();
  const dialog = useDisclosure(false);
  const [kind, setKind] = useState('numbers');
  const [file, setFile] = useState<File | null>(null);
  const [reason, setReason] = useState('');
  const send = useMutation({
    mutationFn: async (given: File) => {
      const attributes = { kind, csv: await given.text(), dry_run: true, ...(reason.trim() === '' ? {} : { reason }) };
      return request<One<PriceList>>('POST', '/operator/v1/price_lists', { data: { type: 'price_lists', attributes } });
    },
    onSuccess: ({ data }) => navigate({ to: '/operator/prices/$id', params: { id: data.id } }),
  });
  const problems = problemTexts(send.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Import a list"
      title="Import a price list"
      size="lg"
      submit={{ label: 'Show the differences', isBusy: send.isPending, isDisabled: file === null }}
      onSubmit={() => {
        if (file !== null) send.mutate(file);
      }}
    >
      {problems.length > 0 && (
        <Alert color="red" variant="light" role="alert" title="The file cannot be taken">
          <List size="sm" aria-label="Invalid lines">
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group align="flex-end">
        <Select
          label="Prices of"
          flex={1}
          data={choices(kinds)}
          value={kind}
          allowDeselect={false}
          onChange={(value) => setKind(value ?? 'numbers')}
        />
        <Button
          component="a"
          variant="default"
          href={addressOf(pathWith('/operator/v1/prices.csv', { kind }))}
          download
        >
          Prices of today
        </Button>
      </Group>
      <FileInput
        label="CSV file"
        description="With a header, in the form of the prices of today"
        placeholder="Choose a file"
        accept=".csv"
        value={file}
        onChange={setFile}
      />
      <ReasonInput value={reason} onChange={setReason} />
    </FormDialog>
  );
}

export function PriceListPage() {
  const { id } = useParams({ from: '/operator/prices/$id' });
  return (
    <RecordPage<PriceList>
      noun="Price list"
      id={id}
      path={`/operator/v1/price_lists/${encodeURIComponent(id)}`}
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
      actions={<State list={list} />}
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
      <ResourceList<Line>
        name="differences"
        path="/operator/v1/price_list_lines"
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
  const write = useWrite();
  const send = (change: object) =>
    write.mutate({
      method: 'PATCH',
      path: `/operator/v1/price_lists/${id}`,
      body: { data: { type: 'price_lists', id, attributes: change } },
    });
  return (
    <Stack gap="xs">
      <FormError text={write.error?.message} />
      <Group align="flex-end">
        {attributes.state === 'dry_run' && (
          <>
            <TextInput
              label="Valid from"
              description="Empty: at once"
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
    </Stack>
  );
}
