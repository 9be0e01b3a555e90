/** The call simulator: calls one of the account's numbers through the real routing, and shows each attempt. */

import {
  Alert,
  Button,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { type AnswerOf, type BodyOf, pathWith } from '../api/routes.ts';
import { digitsSource } from '../parts/choices.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { Empty, Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { RecordSelect } from '../parts/picker.tsx';
import { curl } from '../shell/curl.ts';
import { Request } from '../shell/show-as-request.tsx';

type SimulatedCall = AnswerOf<'POST /sandbox/v1/calls'>;

const outcomes = [
  { value: '200', label: 'Answers' },
  { value: '486', label: 'Is busy (486)' },
  { value: '603', label: 'Declines (603)' },
  { value: '503', label: 'Is out of service (503)' },
  { value: 'timeout', label: 'Lets it ring' },
];

export function Simulator() {
  const numbers = useRead(pathWith('/v3/dids', { sort: '-created_at', 'page[size]': 1 }));
  if (numbers.isPending) return <Waiting />;
  return (
    <Page
      title="Call simulator"
      about="Simulates the caller and your equipment. Routing, capacity, events and call records are real."
    >
      {numbers.error && <Failure error={numbers.error} />}
      {numbers.data?.data.length === 0 ? (
        <Paper withBorder>
          <Empty title="There is no number to call" action={<ButtonLink to="/buy">Buy a number</ButtonLink>} />
        </Paper>
      ) : (
        numbers.data && <CallForm newest={numbers.data.data[0]?.attributes.number ?? ''} />
      )}
    </Page>
  );
}

const numberToCall = digitsSource();

function CallForm({ newest }: { newest: string }) {
  const [to, setTo] = useState(newest);
  const [from, setFrom] = useState('442079460001');
  const [outcome, setOutcome] = useState('200');
  const [ring, setRing] = useState<number | string>(2);
  const [talk, setTalk] = useState<number | string>(30);
  const [stays, setStays] = useState(false);
  const call = useWrite<'POST /sandbox/v1/calls'>();
  const body: BodyOf<'POST /sandbox/v1/calls'> = {
    did_number: to,
    src_number: from.replace(/^\+/, ''),
    script: {
      outcomes: [{ code: outcome === 'timeout' ? 'timeout' : Number(outcome), ring_seconds: Number(ring) }],
      talk_seconds: stays ? null : Number(talk),
    },
  };
  return (
    <Stack>
      <Paper withBorder p="md" maw={620}>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <RecordSelect
              label="Number to call"
              allowDeselect={false}
              source={numberToCall}
              value={to}
              onChange={(value) => setTo(value ?? to)}
            />
            <TextInput label="Caller" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <Select
              label="Your equipment"
              allowDeselect={false}
              data={outcomes}
              value={outcome}
              onChange={(value) => setOutcome(value ?? '200')}
            />
            <NumberInput label="Ringing time (seconds)" min={0} max={120} value={ring} onChange={setRing} />
            <NumberInput
              label="Talk time (seconds)"
              min={0}
              max={86_400}
              value={talk}
              onChange={setTalk}
              disabled={stays}
            />
          </SimpleGrid>
          <Switch
            label="The call stays up until I hang up"
            checked={stays}
            onChange={({ currentTarget }) => setStays(currentTarget.checked)}
          />
          <FormError text={fieldErrors(call.error)['']} />
          <Group justify="flex-end">
            <Button
              loading={call.isPending}
              onClick={() => call.mutate({ method: 'POST', path: pathWith('/sandbox/v1/calls'), body })}
            >
              Call
            </Button>
          </Group>
        </Stack>
      </Paper>
      {call.data && <Result key={call.data.id} call={call.data} />}
      <Request text={curl(window.location.origin, 'POST', '/sandbox/v1/calls', body)} />
    </Stack>
  );
}

function Result({ call }: { call: SimulatedCall }) {
  const hangUp = useWrite<'POST /sandbox/v1/calls/{id}/hangup'>();
  const shown = hangUp.data ?? call;
  const isUp = shown.status !== 'completed' && shown.disconnect_code === null;
  const answered = shown.attempts.at(-1)?.code === 200;
  const tried = [...new Set(shown.attempts.map(({ voice_in_trunk_id: id }) => id))].join(',');
  const trunks = useRead(tried === '' ? null : pathWith('/v3/voice_in_trunks', { 'filter[id]': tried }));
  const nameOf = (id: string | null) =>
    trunks.data?.data.find((trunk) => trunk.id === id)?.attributes.name ?? id ?? 'a trunk';
  return (
    <Alert
      variant="light"
      color={isUp ? 'blue' : answered ? 'teal' : 'red'}
      title={
        isUp
          ? 'The call is up'
          : answered
            ? 'The call was answered and has ended'
            : `The call failed: ${shown.disconnect_code}`
      }
      maw={620}
      role="status"
    >
      {shown.attempts.length === 0 ? (
        <Text size="sm">
          It reached no trunk. See where the number rings on <RouteLink to="/numbers">its page</RouteLink>, and whether
          it has a channel.
        </Text>
      ) : (
        <Table aria-label="Attempts" verticalSpacing={4}>
          <Table.Tbody>
            {shown.attempts.map(({ voice_in_trunk_id, code }, index) => (
              <Table.Tr key={`${voice_in_trunk_id} ${String(index)}`}>
                <Table.Td>{nameOf(voice_in_trunk_id)}</Table.Td>
                <Table.Td ta="right">{code ?? 'up'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group mt="xs">
        {isUp && (
          <Button
            size="xs"
            color="red"
            loading={hangUp.isPending}
            onClick={() =>
              hangUp.mutate({
                method: 'POST',
                path: pathWith('/sandbox/v1/calls/{id}/hangup', { id: shown.id }),
                body: {},
              })
            }
          >
            Hang up
          </Button>
        )}
        <RouteLink to="/calls">All calls</RouteLink>
      </Group>
      <FormError text={hangUp.error?.message} />
    </Alert>
  );
}
