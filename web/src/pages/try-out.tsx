/** *Try it out*: starts a verification with an application, as its own client would, and reports the code. */

import { Alert, Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import type { OtpApplication } from '../api/documents.ts';
import { reach } from '../api/request.ts';
import type { ReadOf } from '../api/routes.ts';
import { showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';

type Verification = ReadOf<'/api/v1/verifications/{id}'>['data'];

/** The application's own authentication; a session is no client of the verification service. */
async function ask(method: 'POST' | 'PUT', path: string, authorization: string, data: object): Promise<Verification> {
  const response = await reach(method, `/api/v1${path}`, {
    credentials: 'omit',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(textOf(body) ?? `The server answered ${response.status}.`);
  return body.data ?? body;
}

function textOf(body: { error?: unknown; errors?: unknown; message?: unknown }): string | undefined {
  const found = body.error ?? body.message ?? body.errors;
  return found === undefined ? undefined : typeof found === 'string' ? found : JSON.stringify(found);
}

interface TryOutProps {
  application: OtpApplication;
  /** The secret, while this page still shows it; otherwise the person enters it. */
  knownSecret: string | null;
}

export function TryOutButton({ application, knownSecret }: TryOutProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const { name } = application.attributes;
  return (
    <>
      <Button size="compact-sm" variant="subtle" onClick={open} aria-label={`Try it out: ${name}`}>
        Try it out
      </Button>
      <Modal opened={opened} onClose={close} title={`Try out ${name}`}>
        {opened && <TryOut application={application} knownSecret={knownSecret} />}
      </Modal>
    </>
  );
}

function TryOut({ application: { attributes }, knownSecret }: TryOutProps) {
  // A request with the key alone is denied unless a callback URL is asked about it.
  const needsSecret = attributes.minimum_mode !== 'public' || attributes.callback_url === null;
  const [secret, setSecret] = useState(knownSecret ?? '');
  const [phone, setPhone] = useState('+447700900123');
  const [method, setMethod] = useState('sms');
  const [code, setCode] = useState('');
  const authorization = needsSecret ? `Basic ${btoa(`${attributes.key}:${secret}`)}` : `Application ${attributes.key}`;
  const start = useAct(() =>
    ask('POST', '/verifications', authorization, { destination: phone, delivery_method: method }),
  );
  const report = useAct(() =>
    ask('PUT', `/verifications/${start.data?.id}`, authorization, { code, delivery_method: method }),
  );
  if (attributes.minimum_mode === 'application') {
    return (
      <Text size="sm">Every request of this application is signed, which a page cannot do without its secret.</Text>
    );
  }
  return (
    <Stack>
      {needsSecret && (
        <TextInput
          label="Secret of the application"
          description="It was shown when the application was created. “New secret” makes another one."
          type="password"
          autoComplete="off"
          value={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        />
      )}
      <TextInput
        label="Phone to verify"
        inputMode="tel"
        value={phone}
        onChange={({ currentTarget }) => setPhone(currentTarget.value)}
      />
      <SegmentedControl
        aria-label="How the code is sent"
        value={method}
        onChange={setMethod}
        data={[
          { value: 'sms', label: 'SMS' },
          { value: 'callout', label: 'Call' },
        ]}
      />
      <Group justify="flex-end">
        <Button loading={start.isPending} disabled={needsSecret && secret === ''} onClick={() => start.mutate()}>
          Send a code
        </Button>
      </Group>
      <FormError text={start.error?.message} />
      {start.data?.status === 'denied' && (
        <Alert color="red" variant="light" role="alert" title="No code is sent">
          {showWords(start.data.error_code ?? 'denied')}.
        </Alert>
      )}
      {start.data && start.data.status !== 'denied' && (
        <Stack>
          <Alert color="teal" variant="light" role="status">
            The code is on its way. In the sandbox it is in the{' '}
            <RouteLink to="/inbox" target="_blank">
              phone inbox
            </RouteLink>
            .
          </Alert>
          <Group align="flex-end">
            <TextInput
              label="Code"
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
            />
            <Button variant="default" disabled={code === ''} loading={report.isPending} onClick={() => report.mutate()}>
              Report the code
            </Button>
          </Group>
          <FormError text={report.error?.message} />
        </Stack>
      )}
      {report.data && (
        <Alert color={report.data.status === 'verified' ? 'teal' : 'red'} variant="light" role="status">
          The verification is {report.data.status}.
        </Alert>
      )}
    </Stack>
  );
}
