/** A customer's personal data: exporting it on request, and erasing it when the account is closed. */

import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { Account } from './documents.ts';
import { mayDo } from './permissions.ts';

export function AccountPrivacy({ account }: { account: Account }) {
  const { data: session } = useSession();
  const { id, attributes } = account;
  const erased = useRead(pathWith('/operator/v1/erasures', { 'filter[account.id]': id }));
  const erasure = erased.data?.data[0];
  return (
    <Paper withBorder p="md" component="section" aria-label="Personal data">
      <Group justify="space-between">
        <Stack gap={2}>
          <Title order={2} size="h5">
            Personal data
          </Title>
          <Text size="sm" c="dimmed">
            {erasure !== undefined ? (
              <>
                Erased {showTime(erasure.attributes.created_at)}.{' '}
                <RouteLink to="/operator/erasures" search={{ 'account.id': id }}>
                  The proof
                </RouteLink>
              </>
            ) : attributes.closed ? (
              'It can be erased once the last number has ended.'
            ) : (
              'It can be erased once the account is closed and its last number has ended.'
            )}
          </Text>
        </Stack>
        <Group gap="xs">
          {mayDo(session, 'export personal data') && (
            <Button
              component="a"
              href={addressOf(pathWith('/operator/v1/personal_data', { account: id }))}
              download={`personal-data-${id}.json`}
              variant="default"
            >
              Export
            </Button>
          )}
          {attributes.closed && erasure === undefined && mayDo(session, 'erase') && <Erase account={account} />}
        </Group>
      </Group>
    </Paper>
  );
}

function Erase({ account }: { account: Account }) {
  const dialog = useDisclosure(false);
  const [reason, setReason] = useState('');
  const write = useWrite<'POST /operator/v1/erasures'>(dialog[1].close);
  const send = () =>
    write.mutate({
      method: 'POST',
      path: pathWith('/operator/v1/erasures'),
      body: {
        data: {
          type: 'erasures',
          attributes: { reason },
          relationships: { account: { data: { type: 'accounts', id: account.id } } },
        },
      },
    });
  return (
    <FormDialog
      dialog={dialog}
      label="Erase"
      look={{ color: 'red', variant: 'light' }}
      title={`Erase the personal data of ${account.attributes.name}`}
      error={fieldErrors(write.error)['']}
      submit={{ label: 'Erase for good', color: 'red', isBusy: write.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() => {
        send();
      }}
    >
      <Text size="sm">
        Names, addresses, documents and messages are deleted for good. What the law makes you keep stays, and the proof
        says why.
      </Text>
      <ReasonInput isAlone value={reason} onChange={setReason} description="For example, the person's request" />
    </FormDialog>
  );
}
