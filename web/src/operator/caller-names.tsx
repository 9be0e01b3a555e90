/** Names of callers, which trunks that ask for them get: the operator's own list. */

import { Group } from '@mantine/core';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import { showNumber } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { reasonField } from './carrier-fields.ts';
import { mayDo } from './permissions.ts';

type CallerName = RecordOf<'/operator/v1/caller_names'>;

const path = '/operator/v1/caller_names';
const nameField: Field = { name: 'name', label: 'Name', about: 'Phones show the first 15 characters', required: true };

const columns: readonly ListColumn<CallerName>[] = [
  column('number', 'Caller', ({ attributes }) => showNumber(attributes.number), { sort: 'number' }),
  column('name', 'Name', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('actions', 'Actions', () => '', { cell: (caller) => <Actions caller={caller} /> }),
];

export function CallerNames() {
  const { data: session } = useSession();
  return (
    <Page
      title="Callers' names"
      about="Shown to inbound trunks that look names up, where there is a rate for it. This list goes before the name service of the server's settings; a customer pays for names that were delivered."
      actions={mayDo(session, 'name callers') && <NewName />}
    >
      <ResourceList
        name="names"
        path={pathWith(path)}
        columns={columns}
        defaultSort="number"
        search={{
          label: 'A whole number, or a part of a name',
          parameters: (text) =>
            /^[+\d\s]+$/.test(text) ? { 'filter[number]': text.replace(/\D/g, '') } : { 'filter[name]': text },
        }}
        empty={<Empty title="No names yet">Calls show what the caller sent, or what the name service knows.</Empty>}
      />
    </Page>
  );
}

const NewName = () => (
  <RecordDialog
    label="Add a name"
    title="Name of a caller"
    type="caller_names"
    route={path}
    id={null}
    fields={[
      { name: 'number', label: 'Number', about: 'International, such as +44 20 7946 0000', required: true },
      nameField,
      reasonField,
    ]}
    initial={{}}
    write={(given) => ({ ...withoutEmpty(given), number: String(given.number ?? '').replace(/\D/g, '') })}
    submit="Add name"
  />
);

function Actions({ caller: { id, attributes } }: { caller: CallerName }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'name callers')) return '–';
  const number = showNumber(attributes.number);
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the name of ${number}`}
        title={number}
        type="caller_names"
        route={path}
        id={id}
        fields={[nameField, reasonField]}
        initial={{ name: attributes.name }}
        write={withoutEmpty}
        submit="Save name"
      />
      <ConfirmButton
        label="Remove"
        about={`Remove the name of ${number}`}
        question="Calls show what the name service knows, or what the caller sent."
        act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id }))}
      />
    </Group>
  );
}
