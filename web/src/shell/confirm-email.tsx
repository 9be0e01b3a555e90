/** The page that a link for a new e-mail address leads to. The token is after `#` and never sent with an address. */

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { pathWith } from '../api/routes.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';
import { DoorFrame } from './sign-in.tsx';

export function ConfirmEmail() {
  const [token] = useState(() => window.location.hash.slice(1));
  const confirm = useAct((send) => send('POST', pathWith('/panel/v1/login/email/confirm'), { token }));
  return (
    <DoorFrame title="Trunkline" about="A new e-mail address">
      {confirm.isSuccess ? (
        <Stack>
          <Alert color="teal" variant="light" role="status">
            From now on you sign in with this e-mail address.
          </Alert>
          <RouteLink to="/">Go on</RouteLink>
        </Stack>
      ) : (
        <Stack>
          <Text size="sm">You sign in with the new e-mail address once you confirm it.</Text>
          <FormError text={confirm.error ? explain(confirm.error) : undefined} />
          {/* A click, as programs that look through e-mails open links. */}
          <Button loading={confirm.isPending} onClick={() => confirm.mutate()} fullWidth disabled={token === ''}>
            Confirm the address
          </Button>
          {token === '' && <Text size="sm">This address is not complete. Open the whole link.</Text>}
        </Stack>
      )}
    </DoorFrame>
  );
}
