/** Says on every page that an operator acts as a customer, with the way out. */

import { Alert, Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAct } from '../api/acts.ts';
import { type Session, signedIn } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { ButtonLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';

export function ActingBanner({ account }: { account: NonNullable<Session['account']> }) {
  const navigate = useNavigate();
  const stop = useAct(
    (send) => send('DELETE', pathWith('/panel/v1/acting')),
    async (session) => {
      await navigate({ to: '/operator/accounts/$id', params: { id: account.id } });
      signedIn(session);
    },
  );
  return (
    <Alert color="grape" variant="light" mb="md" p="sm" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          You act as <strong>{account.name}</strong>. Every change is in the audit log under your name.
        </Text>
        <Group gap="xs">
          <ButtonLink size="xs" variant="default" to="/">
            Their pages
          </ButtonLink>
          <Button size="xs" color="grape" loading={stop.isPending} onClick={() => stop.mutate()}>
            Stop acting
          </Button>
        </Group>
      </Group>
      <FormError text={stop.error?.message} />
    </Alert>
  );
}
