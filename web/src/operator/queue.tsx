/** What runs in the background: jobs, and callbacks to customers. What gave up is run again or given up for good. */

import { Badge, Button, Code, Group, Text } from '@mantine/core';
import { useAct } from '../api/acts.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { BulkAction } from './bulk-action.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between, choices } from './filters.ts';
import { mayDo } from './permissions.ts';

type Job = RecordOf<'/operator/v1/jobs'>;
type Delivery = RecordOf<'/operator/v1/deliveries'>;

const colors: Readonly<Record<string, string>> = {
  failed: 'red',
  due: 'yellow',
  running: 'blue',
  scheduled: 'gray',
  pending: 'yellow',
  delivered: 'teal',
  dropped: 'gray',
  merged: 'gray',
};

const State = ({ word }: { word: string }) => (
  <Badge variant="light" color={colors[word] ?? 'gray'}>
    {word}
  </Badge>
);

const cause = (text: string | null) => (
  <Text size="sm" maw={360} lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
    {text ?? '–'}
  </Text>
);

const jobColumns: readonly ListColumn<Job>[] = [
  column('task', 'Task', ({ attributes }) => attributes.task, {
    cell: ({ attributes }) => <Code style={{ overflowWrap: 'anywhere' }}>{attributes.task}</Code>,
  }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => <State word={attributes.state} />,
  }),
  timeColumn('run', 'Due', ({ attributes }) => attributes.run_at, { sort: 'run_at', secondary: true }),
  column('attempts', 'Attempts', ({ attributes }) => `${attributes.attempts} of ${attributes.max_attempts}`, {
    secondary: true,
  }),
  column('error', 'Last error', ({ attributes }) => attributes.last_error ?? '', {
    secondary: true,
    cell: ({ attributes }) => cause(attributes.last_error),
  }),
  column('number', 'Number', ({ attributes }) => String(attributes.number), { optional: true }),
  column('actions', 'Actions', () => '', {
    cell: ({ id, attributes }) =>
      attributes.state === 'failed' ? <Again type="jobs" id={id} what={attributes.task} give="Discard" /> : '–',
  }),
];

export function Jobs() {
  const { data: session } = useSession();
  return (
    <Page
      title="Jobs"
      about="Work that runs later or in the background. A job that has failed for good stays here until you retry or discard it."
      actions={mayDo(session, 'run operations') && <BulkAction subject="jobs" noun="jobs" />}
    >
      <ResourceList
        name="jobs"
        path={pathWith('/operator/v1/jobs')}
        columns={jobColumns}
        defaultSort="-run_at"
        search={{ label: 'Task, exactly', parameters: (text) => ({ 'filter[task]': text }) }}
        filters={[
          { name: 'state', label: 'State', options: choices(['failed', 'due', 'running', 'scheduled']) },
          ...between('run_at'),
        ]}
        empty={<Empty title="The queue is empty">Nothing waits, nothing has given up.</Empty>}
      />
    </Page>
  );
}

const deliveryColumns: readonly ListColumn<Delivery>[] = [
  timeColumn('created', 'Caused', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  accountColumn(),
  column('kind', 'About', ({ attributes }) => attributes.kind, { secondary: true }),
  column('url', 'To', ({ attributes }) => attributes.url, {
    secondary: true,
    cell: ({ attributes }) => cause(attributes.url),
  }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => <State word={attributes.status} />,
  }),
  column('last', 'Last response', ({ attributes }) => attributes.last_error ?? String(attributes.last_status ?? ''), {
    secondary: true,
    cell: ({ attributes }) =>
      cause(attributes.last_error ?? (attributes.last_status === null ? null : String(attributes.last_status))),
  }),
  column('attempts', 'Attempts', ({ attributes }) => String(attributes.attempts), { optional: true }),
  column('actions', 'Actions', () => '', {
    cell: ({ id, attributes }) =>
      attributes.status !== 'pending' && attributes.status !== 'failed' ? (
        '–'
      ) : (
        <Again type="deliveries" id={id} what={`the callback about ${attributes.kind}`} give="Give up" />
      ),
  }),
];

export function Deliveries() {
  const { data: session } = useSession();
  const [search] = useListSearch();
  const accountId = search['account.id'];
  return (
    <Page
      title="Callbacks"
      about="Callbacks to customers, kept for 30 days. Send one again when its receiver works again."
      actions={
        mayDo(session, 'run operations') && (
          <BulkAction
            subject="deliveries"
            noun="callbacks"
            accountId={accountId === undefined ? undefined : String(accountId)}
          />
        )
      }
    >
      <ResourceList
        name="callbacks"
        path={pathWith('/operator/v1/deliveries')}
        fixed={{ include: 'account' }}
        columns={deliveryColumns}
        defaultSort="-created_at"
        search={{ label: 'Host of the receiver', parameters: (text) => ({ 'filter[host]': text }) }}
        filters={[
          {
            name: 'status',
            label: 'Status',
            options: choices(['pending', 'delivered', 'failed', 'dropped', 'merged']),
          },
          ...between('created_at'),
          accountFilter,
        ]}
        empty={
          <Empty title="No callbacks yet">
            They appear here when something of a customer changes that has a callback.
          </Empty>
        }
      />
    </Page>
  );
}

interface AgainProps {
  type: 'jobs' | 'deliveries';
  id: string;
  what: string;
  /** The word for not trying again. */
  give: string;
}

function Again({ type, id, what, give }: AgainProps) {
  const { data: session } = useSession();
  const path = pathWith(`/operator/v1/${type}/{id}`, { id });
  const write = useAct<unknown>((send) =>
    type === 'jobs'
      ? send('PATCH', pathWith('/operator/v1/jobs/{id}', { id }), { data: { type, id, attributes: { retry: true } } })
      : send('PATCH', pathWith('/operator/v1/deliveries/{id}', { id }), {
          data: { type, id, attributes: { retry: true } },
        }),
  );
  if (!mayDo(session, 'run operations')) return '–';
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Button
          size="compact-sm"
          variant="light"
          loading={write.isPending}
          aria-label={`Try again: ${what}`}
          onClick={() => write.mutate()}
        >
          Try again
        </Button>
        <ConfirmButton
          label={give}
          about={`${give}: ${what}`}
          question="It will not be tried again."
          act={(send) => send('DELETE', path)}
        />
      </Group>
      <FormError text={write.error?.message} />
    </>
  );
}
