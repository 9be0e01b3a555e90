/** Guards of the verification service: each setting with what is shipped, and the starts that they refused. */

import { Badge, Code, SegmentedControl, Text } from '@mantine/core';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showNumber, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { reasonField } from './carrier-fields.ts';
import { accountColumn } from './columns.tsx';
import { accountFilter, choices, yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';
import { startRefusals } from './words.ts';

type Guard = RecordOf<'/operator/v1/guards'>;
type RefusedStart = RecordOf<'/operator/v1/refused_starts'>;

function useShipped(): (guard: Guard) => string {
  const { data: session } = useSession();
  return ({ attributes }) =>
    session?.environment === 'production' ? attributes.shipped_in_production : attributes.shipped_in_sandbox;
}

/** `dailyVolume` as a person reads it. The API and the command line know a guard by its name. */
const inWords = (name: string): string => showWords(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

const Shipped = ({ guard }: { guard: Guard }) => useShipped()(guard);

function InForce({ guard }: { guard: Guard }) {
  const shipped = useShipped()(guard);
  return <Code>{guard.attributes.value ?? shipped}</Code>;
}

const columns: readonly ListColumn<Guard>[] = [
  column('name', 'Setting', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ attributes }) => (
      <>
        <Text size="sm" fw={600}>
          {inWords(attributes.name)}
        </Text>
        <Text size="xs" c="dimmed" maw={420}>
          {attributes.about}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {attributes.name}
        </Text>
      </>
    ),
  }),
  column('value', 'In force', ({ attributes }) => attributes.value ?? 'as shipped', {
    cell: (guard) => <InForce guard={guard} />,
  }),
  column('shipped', 'Shipped', ({ attributes }) => attributes.shipped_in_production, {
    secondary: true,
    cell: (guard) => <Shipped guard={guard} />,
  }),
  column('changed', 'Set by', ({ attributes }) => (attributes.is_changed ? 'an operator' : 'nobody'), {
    secondary: true,
    cell: ({ attributes }) =>
      attributes.is_changed ? (
        <Badge variant="light" color="yellow">
          an operator
        </Badge>
      ) : (
        '–'
      ),
  }),
  column('actions', 'Actions', () => '', { cell: (guard) => <Change guard={guard} /> }),
];

function Change({ guard }: { guard: Guard }) {
  const { data: session } = useSession();
  const shipped = useShipped()(guard);
  const { name, about, value } = guard.attributes;
  if (!mayDo(session, 'set guards')) return '–';
  return (
    <RecordDialog
      label="Change"
      look={{ size: 'compact-sm', variant: 'subtle' }}
      aria={`Change ${inWords(name)}`}
      title={inWords(name)}
      about={`${about.charAt(0).toUpperCase()}${about.slice(1)}.`}
      type="guards"
      route="/operator/v1/guards"
      id={guard.id}
      fields={[
        { name: 'value', label: 'Value', about: `“off” switches it off; “default” is what is shipped: ${shipped}` },
        reasonField,
      ]}
      initial={{ value: value ?? shipped }}
      write={({ value: given, reason }) => ({ value: given ?? 'default', ...(reason === null ? {} : { reason }) })}
      submit="Save"
    />
  );
}

const startColumns: readonly ListColumn<RefusedStart>[] = [
  timeColumn('created', 'When', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  column('destination', 'Phone', ({ attributes }) => showNumber(attributes.destination)),
  accountColumn(),
  column('reason', 'Refused by', ({ attributes }) => showWords(attributes.reason)),
  column('application', 'Application', ({ attributes }) => attributes.application, { secondary: true }),
  column('method', 'By', ({ attributes }) => (attributes.delivery_method === 'sms' ? 'SMS' : 'call'), {
    optional: true,
  }),
  column('address', 'From', ({ attributes }) => attributes.address, { secondary: true }),
];

export function Guards() {
  const [search, change] = useListSearch();
  const isRefused = search.view === 'refused';
  return (
    <Page
      title="Guards"
      about="Limits on starts of verifications, against fraud and floods, and how codes are sent. A change holds at once in every process."
      actions={<RouteLink to="/operator/prefixes">Prefix blocks</RouteLink>}
    >
      <SegmentedControl
        aria-label="What is shown"
        w={{ base: '100%', xs: 300 }}
        value={isRefused ? 'refused' : 'settings'}
        onChange={(view) =>
          change({
            ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
            view: view === 'settings' ? undefined : view,
          })
        }
        data={[
          { value: 'settings', label: 'Settings' },
          { value: 'refused', label: 'Refused starts' },
        ]}
      />
      {isRefused ? (
        <ResourceList
          key="refused"
          name="refused starts"
          path={pathWith('/operator/v1/refused_starts')}
          fixed={{ include: 'account' }}
          columns={startColumns}
          defaultSort="-created_at"
          search={{
            label: 'First digits of the phone',
            parameters: (text): Record<string, string> => {
              const digits = text.replace(/\D/g, '');
              return digits.length < 2 ? {} : { 'filter[destination]': `${digits}*` };
            },
          }}
          filters={[{ name: 'reason', label: 'Refused by', options: choices(startRefusals) }, accountFilter]}
          empty={<Empty title="No start was refused">What a guard stops is listed here for 90 days.</Empty>}
        />
      ) : (
        <ResourceList
          key="settings"
          name="guards"
          path={pathWith('/operator/v1/guards')}
          columns={columns}
          search={{ label: 'The whole name', parameters: (text) => ({ 'filter[name]': text }) }}
          filters={[{ name: 'is_changed', label: 'Changed', options: yesOrNo }]}
          empty={<Empty title="No guards" />}
        />
      )}
    </Page>
  );
}
