/** Signing in. It takes the place of any page, so nobody is sent to an address that a link could choose. */
import { Box, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { signedIn } from '../api/queries.ts';
import { Mark } from '../brand/mark.tsx';
import { about, SignInSteps, type StepName } from './sign-in-steps.tsx';

export function SignIn() {
  const [step, setStep] = useState<StepName>('password');
  return (
    <DoorFrame title="Trunkline" about={about[step]}>
      <SignInSteps onStep={setStep} onSignedIn={signedIn} />
    </DoorFrame>
  );
}

/** The frame of pages for people who are not signed in. */
export function DoorFrame({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Sign in · Trunkline';
  }, []);
  return (
    <Center mih="100vh" p="md" component="main" bg="var(--page-ground)">
      <Box w="100%" maw={380}>
        <Stack gap={4} mb="lg" ta="center" align="center">
          <Mark size={40} />
          <Title order={1} size="h2">
            {title}
          </Title>
          <Text c="dimmed">{about}</Text>
        </Stack>
        <Paper withBorder p="lg" shadow="sm">
          {children}
        </Paper>
        <Text c="dimmed" size="xs" mt="md" ta="center">
          The logins of a first start are printed in its terminal.
        </Text>
      </Box>
    </Center>
  );
}
