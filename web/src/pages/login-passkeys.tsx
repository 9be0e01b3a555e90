/** Passkeys of the own login. */

import { Button, Code, Group, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAct } from '../api/acts.ts';
import { addPasskey, hasPasskeys } from '../api/passkeys.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showTime } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';

export type Login = ReadOf<'/panel/v1/login'>;

/** One part of the page about the login. */
export function Part({ title, about, children }: { title: ReactNode; about: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {about}
      </Text>
      {children}
    </Paper>
  );
}

export function Passkeys({ login }: { login: Login }) {
  const [name, setName] = useState('');
  const add = useAct(
    (send) => addPasskey(send, name),
    () => setName(''),
  );
  return (
    <Part title="Passkeys" about="Sign in with the lock of your phone or computer, without a password.">
      <Stack>
        {login.passkeys.length > 0 && (
          <Table aria-label="Passkeys">
            <Table.Tbody>
              {login.passkeys.map((passkey) => (
                <Table.Tr key={passkey.id}>
                  <Table.Td>{passkey.name}</Table.Td>
                  <Table.Td visibleFrom="xs">
                    {passkey.last_used_at === null ? 'never used' : `used ${showTime(passkey.last_used_at)}`}
                  </Table.Td>
                  <Table.Td ta="right">
                    <ConfirmButton
                      label="Remove"
                      about={`Remove ${passkey.name}`}
                      question="It cannot be used to sign in any more."
                      act={(send) => send('DELETE', pathWith('/panel/v1/login/passkeys/{id}', { id: passkey.id }), {})}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {hasPasskeys() ? (
          <Group align="flex-end">
            <TextInput
              label="Name of the new passkey"
              placeholder="My laptop"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <Button
              variant="default"
              disabled={name.trim() === ''}
              loading={add.isPending}
              onClick={() => add.mutate()}
            >
              Add a passkey
            </Button>
          </Group>
        ) : (
          <Text size="sm">
            This browser offers none at this address: passkeys need a host name, such as <Code>localhost</Code>, and
            elsewhere HTTPS.
          </Text>
        )}
        <FormError text={add.error ? (fieldErrors(add.error)[''] ?? 'No passkey was made.') : undefined} />
      </Stack>
    </Part>
  );
}
