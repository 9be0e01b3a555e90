/** The trunks that inbound calls are sent to. */

import type { Trunk } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { showDate } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { HealthBadge, useTrunkHealth } from '../parts/trunk-health.tsx';

/** Where a trunk sends its calls, in one line. */
function targetOf({ attributes: { configuration } }: Trunk): string {
  if (configuration.type === 'pstn_configurations') return `+${configuration.attributes.dst}`;
  if (configuration.type !== 'sip_configurations') return configuration.type.replace('_configurations', '');
  const { host, port, enabled_sip_registration } = configuration.attributes;
  if (enabled_sip_registration) return 'equipment that registers';
  return `sip:${host ?? ''}${port ? `:${port}` : ''}`;
}

const columns: readonly ListColumn<Trunk>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/trunks/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('target', 'Sends calls to', targetOf, { cell: targetOf }),
  column('limit', 'Calls at a time', ({ attributes }) => String(attributes.capacity_limit ?? ''), {
    sort: 'capacity_limit',
    secondary: true,
    cell: ({ attributes }) => attributes.capacity_limit ?? 'no limit',
  }),
  column('priority', 'Priority', ({ attributes }) => String(attributes.priority), {
    sort: 'priority',
    optional: true,
    cell: ({ attributes }) => attributes.priority,
  }),
  column('description', 'Description', ({ attributes }) => attributes.description ?? '', {
    sort: 'description',
    optional: true,
    cell: ({ attributes }) => attributes.description,
  }),
  column('created', 'Added', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showDate(attributes.created_at),
  }),
];

export function Trunks() {
  const health = useTrunkHealth();
  const withHealth: readonly ListColumn<Trunk>[] = [
    ...columns,
    column('health', 'Answers', ({ id }) => health.get(id)?.health ?? '', {
      cell: ({ id }) => <HealthBadge health={health.get(id)} />,
    }),
  ];
  return (
    <Page
      title="Trunks"
      about="A trunk says where inbound calls go: your SIP server, equipment that registers here, or a telephone."
      actions={<ButtonLink to="/trunks/new">Add a trunk</ButtonLink>}
    >
      <ResourceList
        name="trunks"
        path={pathWith('/v3/voice_in_trunks')}
        columns={withHealth}
        defaultSort="name"
        search={{ label: 'Name, host or description', type: 'voice_in_trunks' }}
        filters={[
          {
            name: 'configuration.type',
            label: 'Type',
            options: [
              { value: 'sip_configurations', label: 'SIP' },
              { value: 'pstn_configurations', label: 'Telephone' },
            ],
          },
        ]}
        empty={
          <Empty title="No trunks yet" action={<ButtonLink to="/trunks/new">Add your first trunk</ButtonLink>}>
            Numbers ring at a trunk. Add one for your SIP server or your telephone.
          </Empty>
        }
      />
    </Page>
  );
}
