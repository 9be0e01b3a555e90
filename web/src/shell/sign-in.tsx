/** Signing in. It takes the place of any page, so nobody is sent to an address that a link could choose. */
import { Box, Button, Center, Divider, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { hasPasskeys, signInWithPasskey } from '../api/passkeys.ts';
import { type Session, signedIn } from '../api/queries.ts';
import { ApiProblem, request } from '../api/request.ts';
import { showSeconds } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';

type FirstStep = Session | { kind: 'second_factor'; token: string };

export function SignIn() {
  const [token, setToken] = useState<string | null>(null);
  return (
    <DoorFrame title="Trunkline" about={token === null ? 'Sign in to continue' : 'One more step'}>
      {token === null ? <PasswordStep onCode={setToken} /> : <CodeStep token={token} onBack={() => setToken(null)} />}
    </DoorFrame>
  );
}

/** The frame of pages for people who are not signed in. */
export function DoorFrame({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Sign in · Trunkline';
  }, []);
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={380}>
        <Stack gap={2} mb="lg" ta="center">
          <Title order={1} size="h2">
            {title}
          </Title>
          <Text c="dimmed">{about}</Text>
        </Stack>
        <Paper withBorder p="lg" shadow="sm">
          {children}
        </Paper>
        <Text c="dimmed" size="xs" mt="md" ta="center">
          Customers and operators sign in here. The logins of a first start are printed in its terminal. If you have
          forgotten your password, ask the operator for a link.
        </Text>
      </Box>
    </Center>
  );
}

function PasswordStep({ onCode }: { onCode: (token: string) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => request<FirstStep>('POST', '/panel/v1/session', { email, password }),
    onSuccess: (answer) => (answer.kind === 'second_factor' ? onCode(answer.token) : signedIn(answer)),
  });
  const passkey = useMutation({ mutationFn: signInWithPasskey, onSuccess: signedIn });
  const error = signIn.error ?? passkey.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack>
        <FormError text={error ? explain(error) : undefined} />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
        {hasPasskeys() && (
          <>
            <Divider label="or" labelPosition="center" />
            <Button variant="default" loading={passkey.isPending} onClick={() => passkey.mutate()} fullWidth>
              Use a passkey
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}

function CodeStep({ token, onBack }: { token: string; onBack: () => void }) {
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => request<Session>('POST', '/panel/v1/session/code', { token, code }),
    onSuccess: signedIn,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack>
        <FormError text={confirm.error ? explain(confirm.error) : undefined} />
        <TextInput
          label="Code"
          description="Of your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          autoFocus
          required
          withAsterisk={false}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Button type="submit" loading={confirm.isPending} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}

export function explain(error: Error): string {
  if (!(error instanceof ApiProblem)) {
    return error.name === 'NotAllowedError'
      ? 'No passkey was chosen.'
      : 'The server cannot be reached. Check your connection and try again.';
  }
  if (error.status !== 429) return error.message;
  return `${error.problems[0]?.title ?? 'Too many attempts'}. Try again in ${showSeconds(error.retryAfter ?? 60)} minutes.`;
}
