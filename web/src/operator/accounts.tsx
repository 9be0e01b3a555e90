/** Customers: the list, and opening an account. */

import { Badge, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { showMoney } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import type { Account } from './documents.ts';
import { yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';

const accountState = ({ attributes }: Account): { word: string; color: string } => {
  if (attributes.closed) return { word: 'closed', color: 'gray' };
  if (attributes.suspended) return { word: 'suspended', color: 'red' };
  return attributes.read_only ? { word: 'read-only', color: 'yellow' } : { word: 'active', color: 'teal' };
};

export const AccountState = ({ account }: { account: Account }) => {
  const { word, color } = accountState(account);
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
};

const columns: readonly ListColumn<Account>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/accounts/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('email', 'E-mail', ({ attributes }) => attributes.email ?? '', { secondary: true }),
  column('balance', 'Balance', ({ attributes }) => attributes.balance, {
    isNumber: true,
    sort: 'balance',
    cell: ({ attributes }) => showMoney(attributes.balance),
  }),
  column('credit', 'Credit', ({ attributes }) => attributes.credit, {
    isNumber: true,
    optional: true,
    cell: ({ attributes }) => showMoney(attributes.credit),
  }),
  column('state', 'State', (account) => accountState(account).word, {
    cell: (account) => <AccountState account={account} />,
  }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
];

export function Accounts() {
  const { data: session } = useSession();
  return (
    <Page
      title="Customers"
      about="Every account of this environment."
      actions={mayDo(session, 'open accounts') && <NewAccount />}
    >
      <ResourceList
        name="customers"
        path={pathWith('/operator/v1/accounts')}
        columns={columns}
        defaultSort="name"
        search={{ label: 'Name, e-mail address or id', parameters: (text) => ({ 'filter[search]': text }) }}
        filters={[
          { name: 'suspended', label: 'Suspended', options: yesOrNo },
          { name: 'closed', label: 'Closed', options: yesOrNo },
        ]}
        empty={<Empty title="No customers yet">Open the first account with the button above.</Empty>}
      />
    </Page>
  );
}

function NewAccount() {
  const navigate = useNavigate();
  const dialog = useDisclosure(false);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const create = useWrite<'POST /operator/v1/accounts'>(({ data }) => {
    navigate({ to: '/operator/accounts/$id', params: { id: data.id } });
  });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Open an account"
      title="Open an account"
      error={errors['']}
      submit={{ label: 'Open account', isBusy: create.isPending }}
      onSubmit={() => {
        const attributes = { name, ...(email === '' ? {} : { email }) };
        create.mutate({
          method: 'POST',
          path: pathWith('/operator/v1/accounts'),
          body: { data: { type: 'accounts', attributes } },
        });
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        error={errors.name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        label="E-mail"
        description="The login of the panel"
        type="email"
        value={email}
        error={errors.email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
    </FormDialog>
  );
}
