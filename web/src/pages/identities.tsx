/** Identities: who uses numbers, with their addresses and documents; a list, and the form of one. */

import { Paper, Stack, Table, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type One, type Resource, relatedMany } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showDate } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { type Address, type Identity, identityLinks, identityValues, nameOf, useIdentityFields } from './paperwork.ts';
import { AddressForm } from './registration-choices.tsx';

const columns: readonly ListColumn<Identity>[] = [
  column<Identity>('name', 'Name', nameOf, {
    sort: 'first_name',
    cell: (identity) => (
      <RouteLink to="/identities/$id" params={{ id: identity.id }}>
        {nameOf(identity)}
      </RouteLink>
    ),
  }),
  column('kind', 'Kind', ({ attributes }) => attributes.identity_type, { secondary: true }),
  column('created', 'Added', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showDate(attributes.created_at),
  }),
  column('verified', 'State', ({ attributes }) => (attributes.verified ? 'verified' : 'not verified'), {
    cell: ({ attributes }) => (
      <StateBadge word={attributes.verified ? 'verified' : 'not verified'} good={attributes.verified ? true : null} />
    ),
  }),
];

export function Identities() {
  return (
    <Page
      title="Identities"
      about="People and companies that numbers are registered for."
      actions={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}
    >
      <ResourceList
        name="identities"
        path={pathWith('/v3/identities')}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of a name', type: 'identities' }}
        filters={[
          {
            name: 'identity_type',
            label: 'Kind',
            options: [
              { value: 'personal', label: 'Person' },
              { value: 'business', label: 'Company' },
            ],
          },
        ]}
        empty={
          <Empty title="No identities yet" action={<ButtonLink to="/identities/new">Add an identity</ButtonLink>}>
            Registering a number asks for one; you can also add it ahead.
          </Empty>
        }
      />
    </Page>
  );
}

export function NewIdentity() {
  const navigate = useNavigate();
  return (
    <Page title="New identity">
      <RecordForm
        type="identities"
        route="/v3/identities"
        id={null}
        fields={useIdentityFields(true)}
        initial={{ identity_type: 'personal' }}
        links={identityLinks}
        submit="Add identity"
        onSaved={({ id }) => navigate({ to: '/identities/$id', params: { id } })}
      />
    </Page>
  );
}

export function IdentityPage() {
  const { id } = useParams({ from: '/identities/$id' });
  return (
    <RecordPage
      noun="Identity"
      id={id}
      path={pathWith('/v3/identities/{id}', { id, include: 'addresses,country,birth_country' })}
      list={{ to: '/identities', label: 'All identities' }}
    >
      {(document) => <IdentityDetails key={id} document={document} />}
    </RecordPage>
  );
}

function IdentityDetails({ document }: { document: One<Identity> }) {
  const navigate = useNavigate();
  const identity = document.data;
  const addresses = relatedMany(document, identity, 'addresses');
  const initial = identityValues(identity);
  return (
    <Page
      title={nameOf(identity)}
      actions={
        <ConfirmButton
          label="Remove identity"
          question="Its addresses and documents are removed with it. One that numbers are registered for stays."
          act={(send) => send('DELETE', pathWith('/v3/identities/{id}', { id: identity.id }))}
          onDone={() => navigate({ to: '/identities' })}
        />
      }
    >
      <RecordForm
        type="identities"
        route="/v3/identities"
        id={identity.id}
        fields={useIdentityFields(false)}
        initial={initial}
        links={identityLinks}
        submit="Save identity"
        onSaved={() => navigate({ to: '/identities' })}
      />
      <Addresses identityId={identity.id} addresses={addresses} />
    </Page>
  );
}

function Addresses({ identityId, addresses }: { identityId: string; addresses: Resource<Address['attributes']>[] }) {
  return (
    <Paper withBorder p="md" maw={620}>
      <Stack>
        <Title order={2} size="h5">
          Addresses
        </Title>
        {addresses.length > 0 && (
          <Table aria-label="Addresses">
            <Table.Tbody>
              {addresses.map(({ id, attributes }) => (
                <Table.Tr key={id}>
                  <Table.Td>{attributes.address}</Table.Td>
                  <Table.Td>
                    {attributes.postal_code} {attributes.city_name}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <AddressForm key={addresses.length} identityId={identityId} onSaved={() => undefined} />
      </Stack>
    </Paper>
  );
}
