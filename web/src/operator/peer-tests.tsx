/**
 * Tests of a provider (a message) and of a carrier (a request whether it is there, or a short call), and what came of
 * the last ones.
 */

import { Button, Group, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import { showNumber, showTime } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import { StateBadge } from '../parts/states.tsx';

const isGood = { waiting: null, passed: true, failed: false } as const;

interface Peer {
  kind: 'provider' | 'carrier';
  id: string;
}

const words = {
  provider: {
    title: 'Test message',
    about: 'A real message through this provider, whatever the routes say and also when it is off.',
    submit: 'Send a test',
  },
  carrier: {
    title: 'Test call',
    about:
      'A real call through this carrier, whatever the routes say and also when it is off. It rings for at most 30 seconds, is hung up at once after the answer, and costs what the carrier charges.',
    submit: 'Place a test call',
  },
} as const;

export function PeerTests({ kind, id, mayTest }: Peer & { mayTest: boolean }) {
  const path = pathWith('/operator/v1/peer_tests', {
    [`filter[${kind}.id]`]: id,
    sort: '-created_at',
    'page[size]': 5,
  });
  const read = useRead(path);
  const tests = read.data?.data ?? [];
  // While one is under way its result is asked for every second.
  useRead(tests.some(({ attributes }) => attributes.status === 'waiting') ? path : null, 1_000);
  return (
    <Paper withBorder component="section" aria-label="Tests">
      <Stack gap="xs" p="md">
        <Title order={2} size="h5">
          {words[kind].title}
        </Title>
        <Text size="sm" c="dimmed">
          {words[kind].about}
        </Text>
        {mayTest && <RequestTest kind={kind} id={id} />}
      </Stack>
      {tests.length > 0 && (
        <Table aria-label="Tests" verticalSpacing="xs">
          <Table.Tbody>
            {tests.map(({ id: key, attributes }) => (
              <Table.Tr key={key}>
                <Table.Td visibleFrom="xs">{showTime(attributes.created_at)}</Table.Td>
                <Table.Td>{attributes.destination === null ? 'OPTIONS' : showNumber(attributes.destination)}</Table.Td>
                <Table.Td>
                  <StateBadge word={attributes.status} good={isGood[attributes.status]} />
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{attributes.result ?? '…'}</Table.Td>
                <Table.Td visibleFrom="sm">
                  {attributes.milliseconds === null ? '' : `${attributes.milliseconds} ms`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}

function RequestTest({ kind, id }: Peer) {
  const [destination, setDestination] = useState('');
  const send = useWrite<'POST /operator/v1/peer_tests'>();
  const errors = fieldErrors(send.error);
  const request = (attributes: { destination?: string }) => {
    const relationships =
      kind === 'carrier'
        ? ({ carrier: { data: { type: 'carriers', id } } } as const)
        : ({ provider: { data: { type: 'providers', id } } } as const);
    const body: BodyOf<'POST /operator/v1/peer_tests'> = { data: { type: 'peer_tests', attributes, relationships } };
    send.mutate({ method: 'POST', path: pathWith('/operator/v1/peer_tests'), body });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        request({ destination: destination.replace(/[\s().-]/g, '') });
      }}
    >
      <Group align="flex-end">
        <TextInput
          label="Phone"
          description="With its country code"
          inputMode="tel"
          value={destination}
          error={errors.destination}
          onChange={({ currentTarget }) => setDestination(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={send.isPending} disabled={destination.trim() === ''}>
          {words[kind].submit}
        </Button>
        {kind === 'carrier' && (
          <Button variant="default" loading={send.isPending} onClick={() => request({})}>
            Ask whether it is there
          </Button>
        )}
      </Group>
      <FormError text={errors['']} />
    </form>
  );
}
