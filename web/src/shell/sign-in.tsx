/** Signing in. It takes the place of any page, so nobody is sent to an address that a link could choose. */
import {
  Anchor,
  Box,
  Button,
  Center,
  Divider,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { hasPasskeys, signInWithPasskey } from '../api/passkeys.ts';
import { type Session, signedIn } from '../api/queries.ts';
import { request } from '../api/request.ts';
import { FormError } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';
import { ForgottenPassword } from './forgotten-password.tsx';

type FirstStep = Session | { kind: 'second_factor'; token: string };

/** What is asked for: the password, the code after it, or a link for a new password. */
type Step = { name: 'password' } | { name: 'code'; token: string } | { name: 'forgotten'; email: string };

const about: Readonly<Record<Step['name'], string>> = {
  password: 'Sign in to continue',
  code: 'One more step',
  forgotten: 'A new password',
};

export function SignIn() {
  const [step, setStep] = useState<Step>({ name: 'password' });
  const start = () => setStep({ name: 'password' });
  return (
    <DoorFrame title="Trunkline" about={about[step.name]}>
      {step.name === 'password' && (
        <PasswordStep
          onCode={(token) => setStep({ name: 'code', token })}
          onForgotten={(email) => setStep({ name: 'forgotten', email })}
        />
      )}
      {step.name === 'code' && <CodeStep token={step.token} onBack={start} />}
      {step.name === 'forgotten' && <ForgottenPassword email={step.email} onBack={start} />}
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
          Customers and operators sign in here. The logins of a first start are printed in its terminal.
        </Text>
      </Box>
    </Center>
  );
}

interface PasswordStepProps {
  onCode: (token: string) => void;
  /** With the e-mail address that was typed so far. */
  onForgotten: (email: string) => void;
}

function PasswordStep({ onCode, onForgotten }: PasswordStepProps) {
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
        <Group justify="flex-end" mt={-8}>
          <Anchor component="button" type="button" size="sm" onClick={() => onForgotten(email)}>
            Forgotten your password?
          </Anchor>
        </Group>
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
