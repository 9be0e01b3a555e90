/** Asks the person to prove again who they are, above whatever page or dialog began the act. */

import { Button, Divider, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { identityIsSettled, useIsAsked } from '../api/confirmation.ts';
import { confirmWithPasskey, hasPasskeys } from '../api/passkeys.ts';
import type { Session } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormError } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';

export function ConfirmIdentity({ session }: { session: Session }) {
  const isAsked = useIsAsked();
  return (
    <Modal
      opened={isAsked}
      onClose={() => identityIsSettled(false)}
      closeOnClickOutside={false}
      // Above a form that is itself in a dialog.
      zIndex={900}
      title="Confirm that it is you"
      // Escape would reach the dialog below too.
      onFocus={({ target }) => target.setAttribute('data-mantine-stop-propagation', 'true')}
    >
      {isAsked && <Steps login={session.login ?? ''} />}
    </Modal>
  );
}

function Steps({ login }: { login: string }) {
  const [password, setPassword] = useState('');
  const settled = () => identityIsSettled(true);
  const confirm = useAct((send) => send('POST', pathWith('/panel/v1/login/confirm'), { password }), settled);
  const passkey = useAct(confirmWithPasskey, settled);
  const error = confirm.error ?? passkey.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          This could open your login or your account to somebody else, so it asks once more who you are.
        </Text>
        {/* For password managers. */}
        <input type="text" name="username" autoComplete="username" value={login} readOnly hidden />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        <FormError text={error ? explain(error) : undefined} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => identityIsSettled(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending} disabled={password === ''}>
            Confirm
          </Button>
        </Group>
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
