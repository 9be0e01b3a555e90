/** Keys of operators, with which programs use /operator/v1. The key is made in this browser and shown once. */

import { Badge } from '@mantine/core';
import { useState } from 'react';
import { related } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Field } from '../parts/fields.tsx';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { randomSecret } from '../parts/random-secret.ts';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { yesOrNo } from './filters.ts';

type OperatorKey = RecordOf<'/operator/v1/operator_keys'>;

const columns: readonly ListColumn<OperatorKey>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name),
  column('operator', 'Operator', (key, document) => related(document, key, 'operator')?.attributes.email ?? '', {
    secondary: true,
  }),
  column('prefix', 'Begins with', ({ attributes }) => `${attributes.prefix}…`, { secondary: true }),
  column('addresses', 'From', ({ attributes }) => attributes.allowed_ips.join(', ') || 'anywhere', { secondary: true }),
  timeColumn('used', 'Last used', ({ attributes }) => attributes.last_used_at, {
    sort: 'last_used_at',
    secondary: true,
    cell: ({ attributes }) => (attributes.last_used_at === null ? 'never' : showTime(attributes.last_used_at)),
  }),
  timeColumn('created', 'Created', ({ attributes }) => attributes.created_at, { sort: 'created_at', optional: true }),
  column('state', 'State', ({ attributes }) => (attributes.revoked_at === null ? 'active' : 'revoked'), {
    cell: ({ attributes }) => (
      <Badge variant="light" color={attributes.revoked_at === null ? 'teal' : 'gray'}>
        {attributes.revoked_at === null ? 'active' : 'revoked'}
      </Badge>
    ),
  }),
  column('actions', 'Actions', () => '', { cell: (key) => <Revoke operatorKey={key} /> }),
];

export function OperatorKeys() {
  const [made, setMade] = useState<{ name: string; key: string } | null>(null);
  return (
    <Page
      title="Operator keys"
      about="Programs use /operator/v1 with a key, and may do what the role of its operator may."
      actions={
        <>
          <RouteLink to="/operator/operators">Operators</RouteLink>
          <NewKey onMade={setMade} />
        </>
      }
    >
      {made !== null && <ShownOnce title={`The key ${made.name}`} lines={[{ label: 'Key', value: made.key }]} />}
      <ResourceList
        name="operator keys"
        path={pathWith('/operator/v1/operator_keys')}
        fixed={{ include: 'operator' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[{ name: 'is_revoked', label: 'Revoked', options: yesOrNo }]}
        empty={<Empty title="No keys yet">Create one for each program that runs this environment.</Empty>}
      />
    </Page>
  );
}

function NewKey({ onMade }: { onMade: (made: { name: string; key: string }) => void }) {
  const operators = useRead(pathWith('/operator/v1/operators', { sort: 'email', 'page[size]': 100 }));
  const [key, setKey] = useState(randomSecret);
  const fields: readonly Field[] = [
    {
      name: 'operator',
      label: 'Operator',
      about: 'Whose role the key has',
      kind: 'select',
      required: true,
      options: (operators.data?.data ?? []).map(({ id, attributes }) => ({
        value: id,
        label: `${attributes.email} (${attributes.role})`,
      })),
    },
    { name: 'name', label: 'Name', about: 'What the key is for', required: true },
    {
      name: 'allowed_ips',
      label: 'Allowed addresses',
      about: 'Addresses or networks; Enter after each. None: from anywhere',
      kind: 'words',
    },
  ];
  return (
    <RecordDialog
      label="Create a key"
      title="Create a key"
      type="operator_keys"
      route="/operator/v1/operator_keys"
      id={null}
      fields={fields}
      initial={{}}
      links={{ operator: 'operators' }}
      write={(given) => ({ ...given, name: given.name ?? '', key })}
      submit="Create key"
      onSaved={({ attributes }) => {
        onMade({ name: attributes.name, key });
        setKey(randomSecret());
      }}
    />
  );
}

function Revoke({ operatorKey: { id, attributes } }: { operatorKey: OperatorKey }) {
  if (attributes.revoked_at !== null) return '–';
  return (
    <ConfirmButton
      label="Revoke"
      about={`Revoke ${attributes.name}`}
      question="Programs that use the key are refused at once, for good."
      act={(send) => send('DELETE', pathWith('/operator/v1/operator_keys/{id}', { id }))}
    />
  );
}
