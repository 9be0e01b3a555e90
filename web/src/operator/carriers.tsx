/** Carriers: the list with health and counts of a day, and adding one. */

import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { HealthBadge } from '../parts/trunk-health.tsx';
import { attributesFor, type Carrier, carrierFields, newCarrier } from './carrier-fields.ts';
import { share } from './columns.tsx';
import { yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';

const whereTo = ({ attributes: { host, port, transport } }: Carrier): string =>
  host === null ? 'inbound only' : `${host}${port === null ? '' : `:${port}`} ${transport}`;

const columns: readonly ListColumn<Carrier>[] = [
  column('name', 'Carrier', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/carriers/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('state', 'State', ({ attributes }) => (attributes.enabled ? 'in use' : 'off'), {
    cell: ({ attributes }) => (
      <StateBadge word={attributes.enabled ? 'in use' : 'off'} good={attributes.enabled || null} />
    ),
  }),
  column('health', 'Answers', ({ attributes }) => attributes.health, {
    cell: ({ attributes }) => (attributes.host === null ? '–' : <HealthBadge health={attributes} />),
  }),
  column('to', 'Calls go to', whereTo, { secondary: true }),
  column('from', 'Calls come from', ({ attributes }) => attributes.addresses.join(', '), { secondary: true }),
  column('answered', 'Answered, 24 h', ({ attributes }) => share(attributes.calls_out_answered, attributes.calls_out), {
    secondary: true,
  }),
  column('failed', 'Failed, 24 h', ({ attributes }) => String(attributes.calls_out_failed), { secondary: true }),
  column('priority', 'Priority', ({ attributes }) => String(attributes.priority), { sort: 'priority', optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { optional: true }),
];

export function Carriers() {
  const { data: session } = useSession();
  const mayChange = mayDo(session, 'run the network');
  const add = <ButtonLink to="/operator/carriers/new">Add a carrier</ButtonLink>;
  return (
    <Page
      title="Carriers"
      about="Networks that bring calls to your numbers, or take outbound calls. Routes say which carrier gets which calls."
      actions={
        <>
          <ButtonLink to="/operator/routes" variant="default">
            Routes
          </ButtonLink>
          {mayChange && add}
        </>
      }
    >
      <ResourceList
        name="carriers"
        path={pathWith('/operator/v1/carriers')}
        columns={columns}
        defaultSort="name"
        search={{ label: 'A part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[{ name: 'enabled', label: 'In use', options: yesOrNo }]}
        every={30_000}
        empty={
          <Empty title="No carriers yet" action={mayChange && add}>
            Calls come from a carrier and go to one.
          </Empty>
        }
      />
    </Page>
  );
}

export function NewCarrier() {
  const navigate = useNavigate();
  return (
    <Page
      title="New carrier"
      about="A network that brings calls to your numbers, takes outbound calls, or both."
      actions={<RouteLink to="/operator/carriers">All carriers</RouteLink>}
    >
      <RecordForm
        type="carriers"
        route="/operator/v1/carriers"
        id={null}
        fields={carrierFields}
        initial={newCarrier}
        write={attributesFor(null)}
        submit="Add carrier"
        onSaved={({ id }) => navigate({ to: '/operator/carriers/$id', params: { id } })}
      />
    </Page>
  );
}
