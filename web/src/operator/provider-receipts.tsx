/**
 * Where an HTTP provider sends delivery receipts, and the secret they must have. It is made in this browser and shown
 * once.
 */

import { Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { addressOf } from '../api/base.ts';
import { pathWith } from '../api/routes.ts';
import type { Send } from '../api/writer.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { randomSecret } from '../parts/random-secret.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import type { Provider } from './provider-fields.ts';

export function ProviderReceipts({ provider, mayChange }: { provider: Provider; mayChange: boolean }) {
  const { id, attributes } = provider;
  const [made, setMade] = useState<string | null>(null);
  const store = async (send: Send, secret: string | null) => {
    await send('PATCH', pathWith('/operator/v1/providers/{id}', { id }), {
      data: { type: 'providers', id, attributes: { receipt_secret: secret } },
    });
    return secret;
  };
  return (
    <Paper withBorder p="md" component="section" aria-label="Delivery receipts">
      <Stack gap="xs">
        <Title order={2} size="h5">
          Delivery receipts
        </Title>
        <Text size="sm" c="dimmed">
          {attributes.has_receipt_secret
            ? 'Receipts with the secret are taken: as a bearer token, as the password of Basic, or as ?secret= in the address.'
            : 'None are taken: make a secret and give it to the provider. The settings below say what a receipt means.'}
        </Text>
        <Text size="sm">
          The provider sends them, by GET or POST, to{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>{addressOf(`/providers/${attributes.name}/receipts`)}</Code> at the
          public address of this server.
        </Text>
        {made !== null && <ShownOnce title="The secret of receipts" lines={[{ label: 'Secret', value: made }]} />}
        {mayChange && (
          <Group gap="xs">
            <ConfirmButton
              label={attributes.has_receipt_secret ? 'New secret' : 'Make a secret'}
              color="teal"
              question={
                attributes.has_receipt_secret
                  ? 'Receipts with the former secret are refused from now on.'
                  : 'It is shown once, for you to give it to the provider.'
              }
              act={(send) => store(send, randomSecret())}
              onDone={setMade}
            />
            {attributes.has_receipt_secret && (
              <ConfirmButton
                label="Refuse receipts"
                question="The secret is removed: no receipt of this provider is taken any more."
                act={(send) => store(send, null)}
                onDone={setMade}
              />
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
