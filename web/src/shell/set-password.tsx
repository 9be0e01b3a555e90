/**
 * The page that a link for a new password, or an invitation, leads to. The token is after `#` and never sent with an
 * address.
 */

import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { pathWith } from '../api/routes.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';
import { DoorFrame } from './sign-in.tsx';

export function SetPassword() {
  const [token] = useState(() => window.location.hash.slice(1));
  const [password, setPassword] = useState('');
  const set = useAct((send) => send('POST', pathWith('/panel/v1/login/set'), { token, password }));
  return (
    <DoorFrame title="Trunkline" about="Choose a password">
      {set.isSuccess ? (
        <Stack>
          <Alert color="teal" variant="light" role="status">
            Your password is set.
          </Alert>
          <RouteLink to="/">Sign in</RouteLink>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            set.mutate();
          }}
        >
          <Stack>
            <PasswordInput
              label="New password"
              description="At least 12 characters"
              autoComplete="new-password"
              required
              withAsterisk={false}
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
            />
            <FormError text={set.error ? explain(set.error) : undefined} />
            <Button type="submit" loading={set.isPending} fullWidth disabled={token === ''}>
              Set password
            </Button>
            {token === '' && <Text size="sm">This address is not complete. Open the whole link.</Text>}
          </Stack>
        </form>
      )}
    </DoorFrame>
  );
}
