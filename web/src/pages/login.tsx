/** The own login: password, app for codes, recovery codes, passkeys. */
import { Alert, Badge, Button, Code, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors, type Session, useRead, useWrite } from '../api/queries.ts';
import { ButtonLink } from '../parts/links.tsx';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { type Login, Part, Passkeys } from './login-passkeys.tsx';

export function LoginPage() {
  const read = useRead<Login>('/panel/v1/login');
  return (
    <Page
      title="Your login"
      about={read.data?.email}
      actions={
        <ButtonLink to="/sessions" variant="default" size="xs">
          Where you are signed in
        </ButtonLink>
      }
    >
      {read.error && <Failure error={read.error} />}
      {read.isPending && <Waiting />}
      {read.data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <NewPassword />
          <App login={read.data} />
          <Passkeys login={read.data} />
        </SimpleGrid>
      )}
    </Page>
  );
}

interface PasswordFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  isNew?: boolean;
}

const PasswordField = ({ label, value, onChange, isNew = false }: PasswordFieldProps) => (
  <PasswordInput
    label={label}
    autoComplete={isNew ? 'new-password' : 'current-password'}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
  />
);

function NewPassword() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useWrite<Session>(() => {
    setCurrent('');
    setPassword('');
  });
  return (
    <Part title="Password" about="At least 12 characters. A new one signs out every other browser.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ method: 'POST', path: '/panel/v1/login/password', body: { current, password } });
        }}
      >
        <Stack>
          <FormError text={fieldErrors(change.error)['']} />
          {change.isSuccess && (
            <Alert color="teal" variant="light" role="status">
              Your password is changed.
            </Alert>
          )}
          <PasswordField label="Current password" value={current} onChange={setCurrent} />
          <PasswordField label="New password" value={password} onChange={setPassword} isNew />
          <Group>
            <Button type="submit" loading={change.isPending} disabled={current === '' || password === ''}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Part>
  );
}

function App({ login }: { login: Login }) {
  const [code, setCode] = useState('');
  const [current, setCurrent] = useState('');
  const begin = useWrite<{ secret: string; uri: string }>();
  const confirm = useWrite<{ recovery_codes: string[] }>(() => begin.reset());
  const remove = useWrite(() => {
    confirm.reset();
    setCurrent('');
  });
  const renew = useWrite<{ recovery_codes: string[] }>(() => setCurrent(''));
  const codes = renew.data?.recovery_codes ?? confirm.data?.recovery_codes;
  const post = (path: string, body: object = {}) =>
    ({ method: 'POST', path: `/panel/v1/login/${path}`, body }) as const;
  const error = begin.error ?? confirm.error ?? remove.error ?? renew.error;
  return (
    <Part
      title={
        <Group gap="xs">
          Authenticator app
          <Badge variant="light" color={login.totp ? 'teal' : 'gray'}>
            {login.totp ? 'on' : 'off'}
          </Badge>
        </Group>
      }
      about="After the password a code of your phone is asked for."
    >
      <Stack>
        <FormError text={fieldErrors(error)['']} />
        {codes && login.totp && <RecoveryCodes codes={codes} />}
        {!login.totp && begin.data === undefined && (
          <Group>
            <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate(post('totp'))}>
              Set up an app
            </Button>
          </Group>
        )}
        {!login.totp && begin.data !== undefined && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              confirm.mutate(post('totp/confirm', { code }));
            }}
          >
            <Stack>
              <Group align="flex-start">
                <QrCode text={begin.data.uri} label="QR code for the app" />
                <Stack gap={4} flex={1} miw={180}>
                  <Text size="sm">Scan the picture with your app, or type this secret into it:</Text>
                  <Code style={{ overflowWrap: 'anywhere' }}>{begin.data.secret}</Code>
                </Stack>
              </Group>
              <TextInput
                label="Code of the app"
                inputMode="numeric"
                autoComplete="one-time-code"
                maw={200}
                value={code}
                onChange={({ currentTarget }) => setCode(currentTarget.value)}
              />
              <Group>
                <Button type="submit" loading={confirm.isPending}>
                  Turn on
                </Button>
              </Group>
            </Stack>
          </form>
        )}
        {login.totp && (
          <>
            <Text size="sm">Recovery codes left: {login.recovery_codes_left}</Text>
            <PasswordField label="Current password, to change this" value={current} onChange={setCurrent} />
            <Group>
              <Button
                variant="default"
                disabled={current === ''}
                loading={renew.isPending}
                onClick={() => renew.mutate(post('recovery_codes', { current }))}
              >
                New recovery codes
              </Button>
              <Button
                color="red"
                variant="subtle"
                disabled={current === ''}
                loading={remove.isPending}
                onClick={() => remove.mutate(post('totp/remove', { current }))}
              >
                Turn off
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Part>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <Alert color="teal" variant="light" title="Your recovery codes" role="status">
      <Text size="sm" mb="xs">
        Keep them apart from your phone: each signs you in once without it. They are not shown again.
      </Text>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={4}>
        {codes.map((each) => (
          <Code key={each}>{each}</Code>
        ))}
      </SimpleGrid>
    </Alert>
  );
}
