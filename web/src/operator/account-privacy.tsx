/** A customer's personal data: exporting it on request, and erasing it when the account is closed. */
import { Button, Group, Modal, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { addressOf } from '../api/base.ts';
import type { Many, Resource } from '../api/documents.ts';
import { fieldErrors, pathWith, useRead, useSession, useWrite } from '../api/queries.ts';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';
import type { Account } from './documents.ts';
import { mayDo } from './permissions.ts';

export function AccountPrivacy({ account }: { account: Account }) {
  const { data: session } = useSession();
  const { id, attributes } = account;
  const erased = useRead<Many<Resource<{ created_at: string }>>>(
    pathWith('/operator/v1/erasures', { 'filter[account.id]': id }),
  );
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
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const write = useWrite(close);
  const send = () =>
    write.mutate({
      method: 'POST',
      path: '/operator/v1/erasures',
      body: {
        data: {
          type: 'erasures',
          attributes: { reason },
          relationships: { account: { data: { type: 'accounts', id: account.id } } },
        },
      },
    });
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Erase
      </Button>
      <Modal opened={opened} onClose={close} title={`Erase the personal data of ${account.attributes.name}`}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Stack>
            <FormError text={fieldErrors(write.error)['']} />
            <Text size="sm">
              Names, addresses, documents and messages are deleted for good. What the law makes you keep stays, and the
              proof says why.
            </Text>
            <Textarea
              label="Reason"
              description="Such as the request of the person"
              data-autofocus
              autosize
              minRows={2}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit" color="red" loading={write.isPending} disabled={reason.trim() === ''}>
                Erase for good
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
