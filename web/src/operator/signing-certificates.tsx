/** Certificates with which calls to carriers are signed: which one signs, until when, and adding the next one. */

import { Code, Group } from '@mantine/core';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { reasonField } from './carrier-fields.ts';
import { yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';

type Certificate = RecordOf<'/operator/v1/signing_certificates'>;

const path = '/operator/v1/signing_certificates';

const urlField: Field = {
  name: 'url',
  label: 'Where others fetch the chain',
  about: 'An https address. Empty: this server serves it, if its public address is https',
};

const newFields: readonly Field[] = [
  { name: 'name', label: 'Name', about: 'Used once', required: true },
  {
    name: 'chain',
    label: 'Certificates (PEM)',
    about: 'Your own first, then those of the authorities above it',
    kind: 'area',
    required: true,
  },
  {
    name: 'private_key',
    label: 'Private key (PEM)',
    about: 'Without a passphrase; stored encrypted, never shown',
    kind: 'area',
    required: true,
  },
  urlField,
  { name: 'enabled', label: 'In use', about: 'Calls may be signed with it', kind: 'switch' },
  reasonField,
];

const good = { signs: true, ready: null, next: null, ended: false, off: null } as const;

const columns: readonly ListColumn<Certificate>[] = [
  column('name', 'Certificate', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => <StateBadge word={attributes.state} good={good[attributes.state]} />,
  }),
  column('signer', 'Signer', ({ attributes }) => attributes.signer, { secondary: true }),
  timeColumn('from', 'Valid from', ({ attributes }) => attributes.valid_from, { sort: 'valid_from', secondary: true }),
  timeColumn('until', 'Ends', ({ attributes }) => attributes.valid_until, { sort: 'valid_until' }),
  column('url', 'Fetched at', ({ attributes }) => attributes.url ?? '', {
    secondary: true,
    cell: ({ attributes }) => <Code>{attributes.url}</Code>,
  }),
  column('actions', 'Actions', () => '', { cell: (certificate) => <Actions certificate={certificate} /> }),
];

export function SigningCertificates() {
  const { data: session } = useSession();
  return (
    <Page
      title="Signing of calls"
      about="Calls to carriers are signed with the newest certificate that is valid (STIR/SHAKEN). Load the next one before this one ends: it takes over by itself."
      actions={mayDo(session, 'run the network') && <NewCertificate />}
    >
      <ResourceList
        name="certificates"
        path={pathWith(path)}
        columns={columns}
        defaultSort="-valid_from"
        search={{ label: 'A part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[{ name: 'enabled', label: 'In use', options: yesOrNo }]}
        empty={<Empty title="No certificates yet">Calls go to carriers without a signature.</Empty>}
      />
    </Page>
  );
}

const NewCertificate = () => (
  <RecordDialog
    label="Add a certificate"
    title="Certificate that signs calls"
    type="signing_certificates"
    route={path}
    id={null}
    fields={newFields}
    initial={{ enabled: true }}
    write={withoutEmpty}
    submit="Add certificate"
  />
);

function Actions({ certificate: { id, attributes } }: { certificate: Certificate }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'run the network')) return '–';
  const { name, url, enabled, state } = attributes;
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change ${name}`}
        title={name}
        type="signing_certificates"
        route={path}
        id={id}
        fields={[
          { name: 'enabled', label: 'In use', about: 'Calls may be signed with it', kind: 'switch' },
          urlField,
          reasonField,
        ]}
        initial={{ enabled, url }}
        write={(given) => ({ ...withoutEmpty(given), url: given.url || null })}
        submit="Save certificate"
      />
      {(state === 'off' || state === 'ended') && (
        <ConfirmButton
          label="Remove"
          about={`Remove ${name}`}
          question="Its private key is deleted, and its chain is no longer served."
          act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id }))}
        />
      )}
    </Group>
  );
}
