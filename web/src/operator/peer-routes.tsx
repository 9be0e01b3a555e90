/** Routes: which carrier gets calls, and which provider codes, for numbers with a prefix. */

import { Alert, Code, Group, Paper, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Many, related } from '../api/documents.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { peerSource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { reasonField } from './carrier-fields.ts';
import { mayDo } from './permissions.ts';

type PeerRoute = RecordOf<'/operator/v1/carrier_routes' | '/operator/v1/provider_routes'>;

/** What the routes of carriers and of providers call themselves. */
const kinds = {
  carriers: { type: 'carrier_routes', link: 'carrier', noun: 'carrier', page: '/operator/carriers/$id' },
  providers: { type: 'provider_routes', link: 'provider', noun: 'provider', page: '/operator/providers/$id' },
} as const;

type Kind = keyof typeof kinds;

const methods = [
  { value: 'sms', label: 'SMS' },
  { value: 'callout', label: 'Calls' },
];

const prefixField: Field = {
  name: 'prefix',
  label: 'Numbers that begin with',
  about: 'Digits without +; empty for all numbers. The longest prefix that fits counts',
};
const priorityField: Field = {
  name: 'priority',
  label: 'Priority',
  about: 'Among equal prefixes the lowest is tried first',
  kind: 'number',
};
const weightField: Field = {
  name: 'weight',
  label: 'Weight',
  about: 'The share of the calls among equal priorities',
  kind: 'number',
};
const methodField: Field = {
  name: 'delivery_method',
  label: 'Codes by',
  kind: 'select',
  required: true,
  options: methods,
};

const shownPrefix = ({ attributes }: PeerRoute): ReactNode =>
  attributes.prefix === '' ? 'all numbers' : <Code>+{attributes.prefix}</Code>;
const method = ({ attributes }: PeerRoute): string =>
  'delivery_method' in attributes && attributes.delivery_method === 'callout' ? 'Calls' : 'SMS';
const weightOf = ({ attributes }: PeerRoute): number | null => ('weight' in attributes ? attributes.weight : null);
const peerOf = (document: Many<PeerRoute>, route: PeerRoute) =>
  route.type === 'carrier_routes' ? related(document, route, 'carrier') : related(document, route, 'provider');

function AddRoute({ kind, owner }: { kind: Kind; owner?: { id: string; name: string } }) {
  const { type, link, noun } = kinds[kind];
  const whose: Field = {
    name: link,
    label: noun === 'carrier' ? 'Carrier' : 'Provider',
    kind: 'select',
    required: true,
    source: peerSource(kind),
  };
  const terms =
    kind === 'carriers' ? [prefixField, priorityField, weightField] : [methodField, prefixField, priorityField];
  return (
    <RecordDialog
      label="Add a route"
      {...(owner === undefined ? {} : { look: { size: 'xs', variant: 'default' } })}
      title={owner === undefined ? 'New route' : `New route to ${owner.name}`}
      type={type}
      route={`/operator/v1/${type}`}
      id={null}
      fields={[...(owner === undefined ? [whose] : []), ...terms, reasonField]}
      initial={{ priority: 10, weight: 10, delivery_method: 'sms' }}
      links={{ [link]: kind }}
      relationships={owner === undefined ? {} : { [link]: { data: { type: kind, id: owner.id } } }}
      write={withoutEmpty}
      submit="Add route"
    />
  );
}

function RouteActions({ kind, route }: { kind: Kind; route: PeerRoute }) {
  const { data: session } = useSession();
  const { type } = kinds[kind];
  if (!mayDo(session, 'run the network')) return '–';
  const { prefix, priority } = route.attributes;
  const what = prefix === '' ? 'all numbers' : `+${prefix}`;
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the route for ${what}`}
        title={`Route for ${what}`}
        type={type}
        route={`/operator/v1/${type}`}
        id={route.id}
        fields={kind === 'carriers' ? [priorityField, weightField, reasonField] : [priorityField, reasonField]}
        initial={{ priority, weight: weightOf(route) }}
        write={withoutEmpty}
        submit="Save route"
      />
      <ConfirmButton
        label="Remove"
        about={`Remove the route for ${what}`}
        question={`Numbers that begin with it go by the next route that fits, or nowhere.`}
        act={(send) => send('DELETE', pathWith(`/operator/v1/${type}/{id}`, { id: route.id }))}
      />
    </Group>
  );
}

const most = 100;

/** The routes to one carrier or provider, on its page. */
export function RoutesOf({ kind, id, name }: { kind: Kind; id: string; name: string }) {
  const { data: session } = useSession();
  const { type, link } = kinds[kind];
  const read = useRead(
    pathWith(`/operator/v1/${type}`, { [`filter[${link}.id]`]: id, sort: 'prefix', 'page[size]': most }),
  );
  const routes = read.data?.data ?? [];
  const total = read.data?.meta?.total_records ?? routes.length;
  return (
    <Paper withBorder component="section" aria-label="Routes">
      <Group justify="space-between" p="md" pb="xs">
        <Title order={2} size="h5">
          Routes
        </Title>
        {mayDo(session, 'run the network') && <AddRoute kind={kind} owner={{ id, name }} />}
      </Group>
      {read.data !== undefined && routes.length === 0 ? (
        <Text c="dimmed" size="sm" p="md" pt={0}>
          No route leads here, so it gets nothing. Add one for all numbers, or for those that begin with some digits.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={0} type="native" tabIndex={0}>
          <Table aria-label="Routes" verticalSpacing="xs" className="compact">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Numbers</Table.Th>
                {kind === 'providers' && <Table.Th>Codes by</Table.Th>}
                <Table.Th>Priority</Table.Th>
                {kind === 'carriers' && <Table.Th visibleFrom="xs">Weight</Table.Th>}
                <Table.Th>Actions</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {routes.map((route) => (
                <Table.Tr key={route.id}>
                  <Table.Td>{shownPrefix(route)}</Table.Td>
                  {kind === 'providers' && <Table.Td>{method(route)}</Table.Td>}
                  <Table.Td>{route.attributes.priority}</Table.Td>
                  {kind === 'carriers' && <Table.Td visibleFrom="xs">{weightOf(route)}</Table.Td>}
                  <Table.Td>
                    <RouteActions kind={kind} route={route} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {total > routes.length && (
        <Text size="sm" p="md">
          <RouteLink to="/operator/routes" search={{ of: kind, [`${link}.id`]: id }}>
            All {total.toLocaleString('en-GB')} routes
          </RouteLink>
        </Text>
      )}
    </Paper>
  );
}

function columnsOf(kind: Kind): readonly ListColumn<PeerRoute>[] {
  const { link, noun, page } = kinds[kind];
  const nameOf = (route: PeerRoute, document: Many<PeerRoute>) => related(document, route, link)?.attributes.name ?? '';
  return [
    column('prefix', 'Numbers', ({ attributes }) => attributes.prefix || 'all', { sort: 'prefix', cell: shownPrefix }),
    ...(kind === 'providers' ? [column<PeerRoute>('method', 'Codes by', method)] : []),
    column('to', noun === 'carrier' ? 'Carrier' : 'Provider', nameOf, {
      cell: (route, document) => {
        const id = peerOf(document, route)?.id;
        return id === undefined ? (
          '–'
        ) : (
          <RouteLink to={page} params={{ id }}>
            {nameOf(route, document)}
          </RouteLink>
        );
      },
    }),
    column('priority', 'Priority', ({ attributes }) => String(attributes.priority), {
      sort: 'priority',
      secondary: true,
    }),
    ...(kind === 'carriers'
      ? [
          column<PeerRoute>('weight', 'Weight', (route) => String(weightOf(route) ?? ''), {
            secondary: true,
          }),
        ]
      : []),
    column('actions', 'Actions', () => '', { cell: (route) => <RouteActions kind={kind} route={route} /> }),
  ];
}

const columns = { carriers: columnsOf('carriers'), providers: columnsOf('providers') };

/** Production places no call of its own before the operator has said which number it shows. */
function MissingCaller() {
  const { data: session } = useSession();
  const read = useRead(pathWith('/operator/v1/guards', { 'filter[name]': 'callerNumber' }));
  const value = read.data?.data[0]?.attributes.value;
  if (session?.environment !== 'production' || value === undefined || (value !== null && value !== 'off')) return null;
  return (
    <Alert color="yellow" variant="light" title="Codes are not spoken yet">
      No call with a code is placed through a carrier until there is a number that it shows. Set{' '}
      <RouteLink to="/operator/guards">callerNumber</RouteLink> to one of yours.
    </Alert>
  );
}

export function Routes() {
  const { data: session } = useSession();
  const [search, change] = useListSearch();
  const kind: Kind = search.of === 'providers' ? 'providers' : 'carriers';
  const { type, link, noun } = kinds[kind];
  const clear = () => Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  return (
    <Page
      title="Routes"
      about="Who gets calls, and who gets codes, for numbers with a prefix: the longest prefix counts, then the lowest priority."
      actions={mayDo(session, 'run the network') && <AddRoute key={kind} kind={kind} />}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label="Routes of what"
          w={{ base: '100%', xs: 300 }}
          value={kind}
          onChange={(next) => change({ ...clear(), of: next === 'carriers' ? undefined : next })}
          data={[
            { value: 'carriers', label: 'Calls' },
            { value: 'providers', label: 'Codes' },
          ]}
        />
        <MissingCaller />
        <ResourceList
          key={kind}
          name="routes"
          path={pathWith(`/operator/v1/${type}`)}
          fixed={{ include: link }}
          columns={columns[kind]}
          defaultSort="prefix"
          search={{
            label: 'A whole prefix, such as 44',
            parameters: (text) => ({ 'filter[prefix]': text.replace(/\D/g, '') }),
          }}
          filters={[
            ...(kind === 'providers' ? [{ name: 'delivery_method', label: 'Codes by', options: methods }] : []),
            { name: `${link}.id`, label: noun, options: [], fromLinks: true },
          ]}
          empty={
            <Empty title="No routes yet">
              {kind === 'carriers'
                ? 'Outbound calls go nowhere until a route leads to a carrier.'
                : 'Codes go nowhere until a route leads to a provider. In the sandbox they end up in the inbox instead.'}
            </Empty>
          }
        />
      </Stack>
    </Page>
  );
}
