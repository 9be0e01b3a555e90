/** A new password of the own login, with what it ends, and another e-mail address. */

import { Alert, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { showTime } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import { type Login, Part } from './login-passkeys.tsx';

export function NewPassword({ login }: { login: Login }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [kept, setKept] = useState<readonly string[]>([]);
  const change = useWrite<'POST /panel/v1/login/password'>(() => {
    setCurrent('');
    setPassword('');
    setKept([]);
  });
  const sessions = login.other_sessions.map(({ id, ip, user_agent, last_used_at }) => ({
    id,
    label: `${nameOfBrowser(user_agent)} at ${ip}, used ${showTime(last_used_at)}`,
  }));
  const passkeys = login.passkeys.map(({ id, name }) => ({ id, label: `Passkey ${name}` }));
  const keptOf = (list: readonly { id: string }[]) => list.filter(({ id }) => kept.includes(id)).map(({ id }) => id);
  return (
    <Part
      title="Password"
      about="At least 12 characters. A new one ends your other sessions and removes your passkeys; you are told by e-mail."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({
            method: 'POST',
            path: pathWith('/panel/v1/login/password'),
            body: { current, password, keep_sessions: keptOf(sessions), keep_passkeys: keptOf(passkeys) },
          });
        }}
      >
        <Stack>
          {change.isSuccess && (
            <Alert color="teal" variant="light" role="status">
              Your password is changed.
            </Alert>
          )}
          <PasswordField label="Current password" value={current} onChange={setCurrent} />
          <PasswordField label="New password" value={password} onChange={setPassword} isNew />
          {sessions.length + passkeys.length > 0 && (
            <Checkbox.Group
              label="Keep"
              description="Keep only those you know are yours; all others are signed out"
              value={[...kept]}
              onChange={setKept}
            >
              <Stack gap="xs" mt="xs">
                {[...sessions, ...passkeys].map(({ id, label }) => (
                  <Checkbox key={id} value={id} label={label} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <FormError text={fieldErrors(change.error)['']} />
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

export function NewEmail({ login }: { login: Login }) {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState('');
  const change = useWrite<'POST /panel/v1/login/email'>(() => {
    setAsked(email);
    setEmail('');
  });
  return (
    <Part
      title="E-mail address"
      about="You sign in with it. A new address takes effect once you open the link sent to it."
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ method: 'POST', path: pathWith('/panel/v1/login/email'), body: { email } });
        }}
      >
        <Stack>
          <Text size="sm">Now: {login.email}</Text>
          {change.isSuccess && (
            <Alert color="teal" variant="light" role="status">
              A link was sent to {asked}. It works once, for a day.
            </Alert>
          )}
          <TextInput
            label="New e-mail address"
            type="email"
            autoComplete="email"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <FormError text={fieldErrors(change.error)['']} />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending} disabled={email.trim() === ''}>
              Send the link
            </Button>
          </Group>
        </Stack>
      </form>
    </Part>
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

/** The name that people know, of the long text that browsers send. */
const nameOfBrowser = (userAgent: string): string =>
  ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((name) => userAgent.includes(`${name}/`)) ??
  (userAgent.slice(0, 40) || 'A browser');
