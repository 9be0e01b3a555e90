/** The people of the account beside its own login. */

import { Badge, Button, Group, Paper, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import { fieldErrors } from '../api/problems.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showTime } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { MarkedName } from '../parts/made-by-operator.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';

type Member = RecordOf<'/panel/v1/members'>;

type MemberRole = Member['attributes']['role'];

const roles = [
  { value: 'owner', label: 'Owner: everything' },
  { value: 'developer', label: 'Developer: all but the team' },
  { value: 'billing', label: 'Billing: buys, papers, low balance' },
  { value: 'read-only', label: 'Read-only' },
] as const;

const columns: readonly ListColumn<Member>[] = [
  column('email', 'E-mail', ({ attributes }) => attributes.email, {
    sort: 'email',
    cell: ({ attributes }) => <MarkedName name={attributes.email} isOperators={attributes.made_by_operator} />,
  }),
  column('role', 'Role', ({ attributes }) => attributes.role, { cell: (member) => <Role member={member} /> }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => (
      <Badge variant="light" color={attributes.state === 'active' ? 'teal' : 'yellow'}>
        {attributes.state}
      </Badge>
    ),
  }),
  column('created', 'Invited', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('actions', 'Actions', () => '', { cell: (member) => <Remove member={member} /> }),
] as const;

export function Team() {
  const { data: session } = useSession();
  return (
    <Page
      title="Team"
      about="People who sign in to this account. Everyone can see everything; the role decides what they can change."
    >
      {session?.role === 'owner' && <Invite />}
      <ResourceList
        name="team"
        path={pathWith('/panel/v1/members')}
        columns={columns}
        defaultSort="email"
        search={{ label: 'Part of the address', parameters: (text) => ({ 'filter[email]': text }) }}
        filters={[{ name: 'role', label: 'Role', options: roles }]}
        empty={<Empty title="Nobody but you">Invite a colleague above, with the role that fits.</Empty>}
      />
    </Page>
  );
}

function Invite() {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('developer');
  const create = useWrite<'POST /panel/v1/members'>(() => setEmail(''));
  const errors = fieldErrors(create.error);
  const made = create.data?.data.attributes;
  return (
    <Paper withBorder p="md" component="section" aria-label="Invite">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({
            method: 'POST',
            path: pathWith('/panel/v1/members'),
            body: { data: { type: 'members', attributes: { email, role } } },
          });
        }}
      >
        <Group align="flex-start" mb={made?.invitation ? 'md' : 0}>
          <TextInput
            label="E-mail of a colleague"
            type="email"
            w={{ base: '100%', xs: 260 }}
            value={email}
            error={errors.email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Select
            label="Role"
            w={{ base: '100%', xs: 250 }}
            data={roles}
            value={role}
            onChange={(value) => value !== null && setRole(value)}
            allowDeselect={false}
          />
          <Button type="submit" mt={{ base: 0, xs: 24 }} loading={create.isPending}>
            Invite
          </Button>
        </Group>
        <FormError text={errors['']} />
      </form>
      {made?.invitation && (
        <ShownOnce
          title={`Send this link to ${made.email}; it works for a week`}
          lines={[{ label: 'Link', value: window.location.origin + addressOf(made.invitation) }]}
        />
      )}
    </Paper>
  );
}

function Role({ member: { id, attributes } }: { member: Member }) {
  const { data: session } = useSession();
  if (session?.role !== 'owner') return attributes.role;
  return (
    <RoleSelect
      email={attributes.email}
      role={attributes.role}
      roles={roles}
      change={(send, role) =>
        send('PATCH', pathWith('/panel/v1/members/{id}', { id }), {
          data: { type: 'members', id, attributes: { role } },
        })
      }
    />
  );
}

function Remove({ member: { id, attributes } }: { member: Member }) {
  const { data: session } = useSession();
  if (session?.role !== 'owner') return '–';
  return (
    <ConfirmButton
      label="Remove"
      about={`Remove ${attributes.email}`}
      question="They are signed out at once and cannot sign in again."
      act={(send) => send('DELETE', pathWith('/panel/v1/members/{id}', { id }))}
    />
  );
}
