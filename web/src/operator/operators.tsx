/** Operators: who may use these pages, with which role. Only an owner sees them. */

import { Button, Group, Paper, PasswordInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { type OperatorRole, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import type { OperatorRecord } from './documents.ts';

const roles = [
  { value: 'owner', label: 'Owner: everything' },
  { value: 'support', label: 'Support: accounts, suspension' },
  { value: 'finance', label: 'Finance: accounts, money' },
  { value: 'reviewer', label: 'Reviewer: decides submissions' },
  { value: 'read-only', label: 'Read-only' },
] as const;

const columns: readonly ListColumn<OperatorRecord>[] = [
  column('email', 'E-mail', ({ attributes }) => attributes.email, {
    sort: 'email',
    cell: ({ attributes }) => <span style={{ overflowWrap: 'anywhere' }}>{attributes.email}</span>,
  }),
  column('role', 'Role', ({ attributes }) => attributes.role, { cell: (operator) => <Role operator={operator} /> }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('actions', 'Actions', () => '', { cell: (operator) => <Remove operator={operator} /> }),
] as const;

export function Operators() {
  return (
    <Page
      title="Operators"
      about="People and programs that run this environment."
      actions={<RouteLink to="/operator/keys">Operator keys</RouteLink>}
    >
      <NewOperator />
      <ResourceList
        name="operators"
        path={pathWith('/operator/v1/operators')}
        columns={columns}
        defaultSort="email"
        search={{ label: 'Part of the e-mail address', parameters: (text) => ({ 'filter[email_contains]': text }) }}
        filters={[{ name: 'role', label: 'Role', options: roles }]}
        empty={<Empty title="No operators" />}
      />
    </Page>
  );
}

function Role({ operator: { id, attributes } }: { operator: OperatorRecord }) {
  return (
    <RoleSelect
      email={attributes.email}
      role={attributes.role}
      roles={roles}
      change={(send, role) =>
        send('PATCH', pathWith('/operator/v1/operators/{id}', { id }), {
          data: { type: 'operators', id, attributes: { role } },
        })
      }
    />
  );
}

function Remove({ operator: { id, attributes } }: { operator: OperatorRecord }) {
  const { data: session } = useSession();
  if (session?.operator?.id === id) return 'you';
  return (
    <ConfirmButton
      label="Remove"
      about={`Remove ${attributes.email}`}
      question="Sessions end and keys stop working at once."
      act={(send) => send('DELETE', pathWith('/operator/v1/operators/{id}', { id }))}
    />
  );
}

function NewOperator() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<OperatorRole>('support');
  const create = useWrite<'POST /operator/v1/operators'>(() => {
    setEmail('');
    setPassword('');
  });
  const errors = fieldErrors(create.error);
  return (
    <Paper withBorder p="md" component="section" aria-label="New operator">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const attributes = { email, role, ...(password === '' ? {} : { password }) };
          create.mutate({
            method: 'POST',
            path: pathWith('/operator/v1/operators'),
            body: { data: { type: 'operators', attributes } },
          });
        }}
      >
        <Group align="flex-start">
          <TextInput
            label="E-mail of the new operator"
            type="email"
            w={{ base: '100%', xs: 240 }}
            value={email}
            error={errors.email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            w={{ base: '100%', xs: 220 }}
            autoComplete="new-password"
            value={password}
            error={errors.password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
          />
          <Select
            label="Role"
            w={{ base: '100%', xs: 240 }}
            data={roles}
            value={role}
            onChange={(value) => value !== null && setRole(value)}
            allowDeselect={false}
          />
          <Button type="submit" mt={{ base: 0, xs: 24 }} loading={create.isPending}>
            Add operator
          </Button>
        </Group>
        <FormError text={errors['']} />
      </form>
    </Paper>
  );
}
