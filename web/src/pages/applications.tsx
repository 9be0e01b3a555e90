/** OTP applications: the clients of the verification service, their settings and secrets. */

import { Button, Group, Modal, NumberInput, Paper, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import type { OtpApplication } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showDate } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { TryOutButton } from './try-out.tsx';

const path = '/panel/v1/otp_applications';

const modes = [
  { value: 'public', label: 'Public: the key alone is enough' },
  { value: 'basic', label: 'Basic: key and secret' },
  { value: 'application', label: 'Application: every request is signed' },
] as const;

export function Applications() {
  const [made, setMade] = useState<OtpApplication['attributes'] | null>(null);
  const columns: readonly ListColumn<OtpApplication>[] = [
    column('name', 'Name', ({ attributes }) => attributes.name, {
      sort: 'name',
      cell: ({ attributes }) => attributes.name,
    }),
    column('key', 'Key', ({ attributes }) => attributes.key, {
      secondary: true,
      cell: ({ attributes }) => <code>{attributes.key}</code>,
    }),
    column('mode', 'Proof', ({ attributes }) => attributes.minimum_mode, {
      secondary: true,
      cell: ({ attributes }) => attributes.minimum_mode,
    }),
    column('code', 'Code', ({ attributes }) => `${attributes.code_length} digits, ${attributes.code_timeout} s`, {
      optional: true,
      cell: ({ attributes }) => `${attributes.code_length} digits, ${attributes.code_timeout} s`,
    }),
    column('created', 'Created', ({ attributes }) => attributes.created_at, {
      sort: 'created_at',
      optional: true,
      cell: ({ attributes }) => showDate(attributes.created_at),
    }),
    column('actions', 'Actions', () => '', {
      cell: (application) => <Actions application={application} made={made} onSecret={setMade} />,
    }),
  ];
  return (
    <Page
      title="OTP applications"
      about="Each website or app that verifies phones is an application, with a key and a secret of its own."
      actions={<FormButton label="New application" application={null} onSaved={setMade} />}
    >
      {made?.secret && (
        <ShownOnce
          title={`The secret of “${made.name}”`}
          lines={[
            { label: 'Key', value: made.key },
            { label: 'Secret', value: made.secret },
          ]}
        />
      )}
      <ResourceList
        name="otp applications"
        path={pathWith(path)}
        columns={columns}
        defaultSort="name"
        search={{ label: 'Part of the name', parameters: (text) => ({ 'filter[name]': text }) }}
        empty={
          <Empty title="No applications yet">
            Create one to verify phone numbers with one-time codes by SMS or voice.
          </Empty>
        }
      />
    </Page>
  );
}

interface ActionsProps {
  application: OtpApplication;
  /** The application whose secret is shown now. */
  made: OtpApplication['attributes'] | null;
  onSecret: (made: OtpApplication['attributes']) => void;
}

function Actions({ application, made, onSecret }: ActionsProps) {
  const { id, attributes } = application;
  return (
    <Group gap={4}>
      <TryOutButton application={application} knownSecret={made?.key === attributes.key ? made.secret : null} />
      <FormButton label="Change" application={application} onSaved={() => undefined} />
      <ConfirmButton
        label="New secret"
        about={`New secret for ${attributes.name}`}
        question="The old secret stops working at once, also for verifications that have begun."
        act={(send) =>
          send('PATCH', pathWith(`${path}/{id}`, { id }), {
            data: { id, type: 'otp_applications', attributes: { rotate_secret: true } },
          })
        }
        onDone={({ data }) => onSecret(data.attributes)}
      />
      <ConfirmButton
        label="Delete"
        about={`Delete ${attributes.name}`}
        question="Its requests are refused from that moment on, and its pending verifications fail."
        act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id }))}
      />
    </Group>
  );
}

interface FormButtonProps {
  label: string;
  application: OtpApplication | null;
  onSaved: (saved: OtpApplication['attributes']) => void;
}

function FormButton({ label, application, onSaved }: FormButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const about = application === null ? label : `${label} ${application.attributes.name}`;
  return (
    <>
      <Button
        size={application === null ? 'sm' : 'compact-sm'}
        variant={application === null ? 'filled' : 'subtle'}
        onClick={open}
        aria-label={about}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={about}>
        {opened && (
          <Form
            application={application}
            onSaved={(saved) => {
              close();
              onSaved(saved);
            }}
          />
        )}
      </Modal>
    </>
  );
}

function Form({ application, onSaved }: Omit<FormButtonProps, 'label'>) {
  const stored = application?.attributes;
  const [name, setName] = useState(stored?.name ?? '');
  const [mode, setMode] = useState(stored?.minimum_mode ?? 'public');
  const [callback, setCallback] = useState(stored?.callback_url ?? '');
  const [timeout, setTimeoutSeconds] = useState<number | string>(stored?.code_timeout ?? 300);
  const [length, setLength] = useState<number | string>(stored?.code_length ?? 6);
  const save = useWrite<'POST /panel/v1/otp_applications' | 'PATCH /panel/v1/otp_applications/{id}'>(({ data }) =>
    onSaved(data.attributes),
  );
  const errors = fieldErrors(save.error);
  const attributes = {
    name,
    minimum_mode: mode,
    callback_url: callback === '' ? null : callback,
    code_timeout: Number(timeout),
    code_length: Number(length),
  };
  return (
    <Paper
      component="form"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        save.mutate(
          application === null
            ? { method: 'POST', path: pathWith(path), body: { data: { type: 'otp_applications', attributes } } }
            : {
                method: 'PATCH',
                path: pathWith(`${path}/{id}`, { id: application.id }),
                body: { data: { id: application.id, type: 'otp_applications', attributes } },
              },
        );
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={errors.name}
        />
        <Select
          label="Proof"
          description="The weakest authentication that requests may use."
          data={modes}
          allowDeselect={false}
          value={mode}
          onChange={(value) => setMode(value ?? 'public')}
          error={errors.minimum_mode}
        />
        <TextInput
          label="Callback URL"
          description="Called for approval before a code is sent. Leave empty to skip this."
          type="url"
          value={callback}
          onChange={({ currentTarget }) => setCallback(currentTarget.value)}
          error={errors.callback_url}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Digits of a code"
            allowDecimal={false}
            value={length}
            onChange={setLength}
            error={errors.code_length}
          />
          <NumberInput
            label="Valid for (seconds)"
            allowDecimal={false}
            value={timeout}
            onChange={setTimeoutSeconds}
            error={errors.code_timeout}
          />
        </Group>
        <FormError text={errors['']} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {application === null ? 'Create application' : 'Save application'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
