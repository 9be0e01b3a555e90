/** Signing in. It takes the place of any page, so nobody is sent to an address that a link could choose. */
import { Box, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Session, signedIn } from '../api/queries.ts';
import { ApiProblem, request } from '../api/request.ts';
import { showSeconds } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';

export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => request<Session>('POST', '/panel/v1/session', { email, password }),
    onSuccess: signedIn,
  });
  useEffect(() => {
    document.title = 'Sign in · Trunkline';
  }, []);
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={380}>
        <Stack gap={2} mb="lg" ta="center">
          <Title order={1} size="h2">
            Trunkline
          </Title>
          <Text c="dimmed">Sign in to continue</Text>
        </Stack>
        <Paper withBorder p="lg" shadow="sm">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              signIn.mutate();
            }}
          >
            <Stack>
              <FormError text={signIn.error ? explain(signIn.error) : undefined} />
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
            </Stack>
          </form>
        </Paper>
        <Text c="dimmed" size="xs" mt="md" ta="center">
          Customers and operators sign in here. The logins of a first start are printed in its terminal.
        </Text>
      </Box>
    </Center>
  );
}

function explain(error: Error): string {
  if (!(error instanceof ApiProblem)) return 'The server cannot be reached. Check your connection and try again.';
  if (error.status !== 429) return error.message;
  return `${error.problems[0]?.title ?? 'Too many attempts'}. Try again in ${showSeconds(error.retryAfter ?? 60)} minutes.`;
}
