/** Providers of codes: the list with health and counts of a day, and adding one. */

import { Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showTime } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { share } from './columns.tsx';
import { yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';
import { newProvider, newProviderFields, type Provider, providerAttributes } from './provider-fields.ts';

export function providerState({ attributes }: Provider): { word: string; good: boolean | null } {
  if (!attributes.enabled) return { word: 'off', good: null };
  return attributes.set_aside_until === null ? { word: 'healthy', good: true } : { word: 'set aside', good: false };
}

const columns: readonly ListColumn<Provider>[] = [
  column('name', 'Provider', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/providers/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('kind', 'By', ({ attributes }) => attributes.kind.toUpperCase(), { secondary: true }),
  column('state', 'State', (provider) => providerState(provider).word, {
    cell: (provider) => (
      <Stack gap={2} align="flex-start">
        <StateBadge {...providerState(provider)} />
        {provider.attributes.set_aside_until !== null && (
          <Text size="xs" c="dimmed">
            until {showTime(provider.attributes.set_aside_until)}
          </Text>
        )}
      </Stack>
    ),
  }),
  column('delivered', 'Delivered, 24 h', ({ attributes }) =>
    share(attributes.messages_delivered, attributes.messages_sent),
  ),
  column('failed', 'Failed, 24 h', ({ attributes }) => String(attributes.messages_failed), { secondary: true }),
  column('last', 'Last failure', ({ attributes }) => attributes.last_failure ?? '', {
    secondary: true,
    cell: ({ attributes }) =>
      attributes.last_failure === null ? (
        '–'
      ) : (
        <Text size="sm" maw={320} style={{ overflowWrap: 'anywhere' }}>
          {attributes.last_failure}
          <Text span c="dimmed" size="xs" display="block">
            {attributes.last_failure_at && showTime(attributes.last_failure_at)}
          </Text>
        </Text>
      ),
  }),
  column('row', 'Failures in a row', ({ attributes }) => String(attributes.failures), { optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { optional: true }),
];

export function Providers() {
  const { data: session } = useSession();
  const mayChange = mayDo(session, 'run the network');
  const add = <ButtonLink to="/operator/providers/new">Add a provider</ButtonLink>;
  return (
    <Page
      title="Providers"
      about="Who delivers codes. One that fails several times in a row is set aside and used last, until it works again."
      actions={
        <>
          <ButtonLink to="/operator/routes" search={{ of: 'providers' }} variant="default">
            Routes
          </ButtonLink>
          {mayChange && add}
        </>
      }
    >
      <ResourceList
        name="providers"
        path={pathWith('/operator/v1/providers')}
        columns={columns}
        defaultSort="name"
        search={{ label: 'A part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[{ name: 'enabled', label: 'In use', options: yesOrNo }]}
        every={30_000}
        empty={
          <Empty title="No providers yet" action={mayChange && add}>
            Codes need somebody who delivers them. In the sandbox they end up in the inbox instead.
          </Empty>
        }
      />
    </Page>
  );
}

export function NewProvider() {
  const navigate = useNavigate();
  return (
    <Page
      title="New provider"
      about="Who delivers codes, by HTTP or SMPP. Routes say for which numbers it is used."
      actions={<RouteLink to="/operator/providers">All providers</RouteLink>}
    >
      <RecordForm
        type="providers"
        route="/operator/v1/providers"
        id={null}
        fields={newProviderFields}
        initial={newProvider}
        write={providerAttributes(true)}
        submit="Add provider"
        onSaved={({ id }) => navigate({ to: '/operator/providers/$id', params: { id } })}
      />
    </Page>
  );
}
