/** The own login: password, e-mail address, app for codes, recovery codes, passkeys. */

import { Alert, Badge, Button, Code, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { ButtonLink } from '../parts/links.tsx';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { type Login, Part, Passkeys } from './login-passkeys.tsx';
import { NewEmail, NewPassword } from './login-password.tsx';

export function LoginPage() {
  const read = useRead(pathWith('/panel/v1/login'));
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
          <NewPassword login={read.data} />
          <NewEmail login={read.data} />
          <App login={read.data} />
          <Passkeys login={read.data} />
        </SimpleGrid>
      )}
    </Page>
  );
}

function App({ login }: { login: Login }) {
  const [code, setCode] = useState('');
  const begin = useWrite<'POST /panel/v1/login/totp'>();
  const confirm = useWrite<'POST /panel/v1/login/totp/confirm'>(() => begin.reset());
  const remove = useWrite<'POST /panel/v1/login/totp/remove'>(() => confirm.reset());
  const renew = useWrite<'POST /panel/v1/login/recovery_codes'>();
  const codes = renew.data?.recovery_codes ?? confirm.data?.recovery_codes;
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
        {codes && login.totp && <RecoveryCodes codes={codes} />}
        {!login.totp && begin.data === undefined && (
          <Group>
            <Button
              variant="default"
              loading={begin.isPending}
              onClick={() => begin.mutate({ method: 'POST', path: pathWith('/panel/v1/login/totp'), body: {} })}
            >
              Set up an app
            </Button>
          </Group>
        )}
        {!login.totp && begin.data !== undefined && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              confirm.mutate({ method: 'POST', path: pathWith('/panel/v1/login/totp/confirm'), body: { code } });
            }}
          >
            <Stack>
              <Group align="flex-start">
                <QrCode text={begin.data.uri} label="QR code for the app" />
                <Stack gap={4} flex={1} miw={180}>
                  <Text size="sm">Scan the code with your app, or enter this secret by hand:</Text>
                  <Code style={{ overflowWrap: 'anywhere' }}>{begin.data.secret}</Code>
                </Stack>
              </Group>
              <TextInput
                label="Code from your app"
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
            <Group>
              <Button
                variant="default"
                loading={renew.isPending}
                onClick={() =>
                  renew.mutate({ method: 'POST', path: pathWith('/panel/v1/login/recovery_codes'), body: {} })
                }
              >
                New recovery codes
              </Button>
              <Button
                color="red"
                variant="subtle"
                loading={remove.isPending}
                onClick={() =>
                  remove.mutate({ method: 'POST', path: pathWith('/panel/v1/login/totp/remove'), body: {} })
                }
              >
                Turn off
              </Button>
            </Group>
          </>
        )}
        <FormError text={fieldErrors(error)['']} />
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
