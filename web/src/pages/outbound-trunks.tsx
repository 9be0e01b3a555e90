/** Outbound trunks: from where calls are accepted, what they may call and spend; a list, and the form of one. */

import { Alert, Badge, Button, Code, Group, Paper, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useWrite } from '../api/acts.ts';
import type { One } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showMoney, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { Secret } from '../parts/secret.tsx';
import { TrunkSound } from '../parts/trunk-sound.tsx';
import { initialOf, type OutboundTrunk, useOutboundFields, writtenOf } from './outbound-fields.ts';

const path = '/v3/voice_out_trunks';

const state = ({ attributes }: OutboundTrunk) =>
  attributes.threshold_reached ? 'spending limit reached' : attributes.status;

const columns: readonly ListColumn<OutboundTrunk>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/outbound-trunks/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('authentication', 'Authentication', ({ attributes }) => showWords(attributes.authentication_method.type), {
    secondary: true,
  }),
  column('spent', 'Spent in 24 hours', ({ meta }) => meta?.spent_amount ?? '', {
    secondary: true,
    cell: ({ attributes, meta }) =>
      `${showMoney(meta?.spent_amount ?? '0')} of ${showMoney(attributes.threshold_amount)}`,
  }),
  column('state', 'State', state, {
    cell: (trunk) => (
      <Badge variant="light" color={state(trunk) === 'active' ? 'teal' : 'red'}>
        {state(trunk)}
      </Badge>
    ),
  }),
];

export function OutboundTrunks() {
  return (
    <Page
      title="Outbound trunks"
      about="Your equipment calls out through a trunk: it proves who it is, and the trunk limits what it may call and spend."
      actions={<ButtonLink to="/outbound-trunks/new">Add an outbound trunk</ButtonLink>}
    >
      <ResourceList
        name="outbound trunks"
        path={pathWith(path)}
        columns={columns}
        defaultSort="name"
        search={{ label: 'Part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[
          {
            name: 'status',
            label: 'Status',
            options: [
              { value: 'active', label: 'Active' },
              { value: 'blocked', label: 'Blocked' },
            ],
          },
        ]}
        empty={
          <Empty
            title="No outbound trunks yet"
            action={<ButtonLink to="/outbound-trunks/new">Add an outbound trunk</ButtonLink>}
          >
            Add one to call out with your numbers as caller id.
          </Empty>
        }
      />
    </Page>
  );
}

export function NewOutboundTrunk() {
  const navigate = useNavigate();
  return (
    <Page title="New outbound trunk" about="Where calls are accepted from, and what they may call and spend.">
      <RecordForm
        type="voice_out_trunks"
        route={path}
        id={null}
        fields={useOutboundFields(null)}
        initial={initialOf(null)}
        links={{ dids: 'dids', default_did: 'dids' }}
        write={writtenOf}
        submit="Add outbound trunk"
        onSaved={({ id }) => navigate({ to: '/outbound-trunks/$id', params: { id } })}
      />
    </Page>
  );
}

export function OutboundTrunkPage() {
  const { id } = useParams({ from: '/outbound-trunks/$id' });
  return (
    <RecordPage
      noun="Outbound trunk"
      id={id}
      path={pathWith(`${path}/{id}`, { id, include: 'dids,default_did' })}
      list={{ to: '/outbound-trunks', label: 'All outbound trunks' }}
    >
      {(document) => <TrunkForm key={id} document={document} />}
    </RecordPage>
  );
}

function TrunkForm({ document }: { document: One<OutboundTrunk> }) {
  const navigate = useNavigate();
  const trunk = document.data;
  return (
    <Page
      title={trunk.attributes.name}
      about={`Spent in the last 24 hours: ${showMoney(trunk.meta?.spent_amount ?? '0')}`}
      actions={
        <ConfirmButton
          label="Remove trunk"
          question="Calls from your equipment through this trunk are refused from that moment on."
          act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id: trunk.id }))}
          onDone={() => navigate({ to: '/outbound-trunks' })}
        />
      }
    >
      {trunk.attributes.threshold_reached && (
        <Alert color="red" variant="light" title="The spending limit is reached">
          Calls are refused until 24 hours have passed or the limit is raised below.
        </Alert>
      )}
      <Credentials trunk={trunk} />
      <TrunkSound id={trunk.id} direction="out" />
      <RecordForm
        type="voice_out_trunks"
        route={path}
        id={trunk.id}
        fields={useOutboundFields(trunk)}
        initial={initialOf(trunk)}
        links={{ dids: 'dids', default_did: 'dids' }}
        write={writtenOf}
        submit="Save outbound trunk"
        onSaved={() => navigate({ to: '/outbound-trunks' })}
      />
    </Page>
  );
}

/** The user name and password with which equipment calls, and new ones. */
function Credentials({ trunk }: { trunk: OutboundTrunk }) {
  const renew = useWrite<'POST /v3/voice_out_trunk_regenerate_credentials'>();
  const { authentication_method: method } = trunk.attributes;
  if (method.type !== 'credentials_and_ip') return null;
  const { username } = method.attributes;
  const relationships = { voice_out_trunk: { data: { type: 'voice_out_trunks', id: trunk.id } } } as const;
  return (
    <Paper withBorder p="md" maw={620}>
      <Group justify="space-between">
        <Group gap="xs">
          <Text size="sm">
            User name <Code>{username}</Code>, password
          </Text>
          {/* New credentials are hidden again. */}
          <Secret key={username} type="voice_out_trunks" id={trunk.id} member="password" />
        </Group>
        <Button
          size="xs"
          variant="default"
          loading={renew.isPending}
          onClick={() =>
            renew.mutate({
              method: 'POST',
              path: pathWith('/v3/voice_out_trunk_regenerate_credentials'),
              body: { data: { type: 'voice_out_trunk_regenerate_credentials', relationships } },
            })
          }
        >
          New credentials
        </Button>
      </Group>
      <FormError text={renew.error?.message} />
    </Paper>
  );
}
