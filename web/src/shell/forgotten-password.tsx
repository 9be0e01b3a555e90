/**
 * For people who have forgotten their password: asks for a link by e-mail, or says whom to ask where no e-mails are
 * sent.
 */

import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Failure, FormError, Waiting } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';

const path = pathWith('/panel/v1/login/forgotten');

export function ForgottenPassword({ email, onBack }: { email: string; onBack: () => void }) {
  const read = useRead(path);
  return (
    <Stack>
      {read.isPending && <Waiting />}
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.data?.by_email === true && <AskForLink initial={email} />}
      {read.data?.by_email === false && (
        <Text size="sm">
          This server sends no e-mails. Ask its operator for a link: it lets you choose a new password, once.
        </Text>
      )}
      <Button variant="subtle" onClick={onBack} fullWidth>
        Back to signing in
      </Button>
    </Stack>
  );
}

function AskForLink({ initial }: { initial: string }) {
  const [email, setEmail] = useState(initial);
  const ask = useAct((send) => send('POST', path, { email }));
  if (ask.isSuccess) {
    // The server does not tell whether somebody has the address, so neither does this page.
    return (
      <Alert color="teal" variant="light" role="status">
        If {email} belongs to a login, a link is on its way. It works once. Look into the folder for spam as well.
      </Alert>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="E-mail"
          description="A link to choose a new password is sent there"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <FormError text={ask.error ? explain(ask.error) : undefined} />
        <Button type="submit" loading={ask.isPending} fullWidth>
          Send a link
        </Button>
      </Stack>
    </form>
  );
}
