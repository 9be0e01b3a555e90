/** *Test the route*: where a call to a number would go now, with the reason for each step. No call is made. */

import { Alert, Badge, Button, Group, Paper, Stack, Text, TextInput, Timeline, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { type Path, pathWith, type ReadOf } from '../api/routes.ts';
import { digitsSource } from './choices.ts';
import { showNumber } from './format.ts';
import { RouteLink } from './links.tsx';
import { Failure } from './page.tsx';
import { firstOf, pageOf, RecordSelect } from './picker.tsx';

/** The same for a trunk or a trunk group: one of the numbers that ring there is chosen. */
export function RouteTestOf({ link, id }: { link: 'voice_in_trunk' | 'voice_in_trunk_group'; id: string }) {
  const ringing = digitsSource({ [`filter[${link}.id]`]: id });
  const read = useRead(pageOf(ringing));
  const [chosen, setChosen] = useState<string | null>(null);
  if (read.data === undefined) return read.error ? <Failure error={read.error} /> : null;
  const number = chosen ?? firstOf(ringing, read.data);
  if (number === undefined) {
    return (
      <Text size="sm" c="dimmed">
        No number rings here yet. <RouteLink to="/numbers">Choose one of your numbers</RouteLink>
      </Text>
    );
  }
  return (
    <RouteTest key={number} number={number}>
      <RecordSelect label="Call to" source={ringing} value={number} onChange={setChosen} allowDeselect={false} />
    </RouteTest>
  );
}

type RouteRun = ReadOf<'/panel/v1/routing'>;

export function RouteTest({ number, children }: { number: string; children?: ReactNode }) {
  const [from, setFrom] = useState('442079460001');
  const [tested, setTested] = useState<Path<RouteRun> | null>(null);
  const run = useRead(tested);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Test the route
        </Title>
        <Text size="sm" c="dimmed">
          Shows what would happen to a call to {showNumber(number)} right now. No call is made.
        </Text>
        <Group align="flex-end">
          {children}
          <TextInput
            label="Call from"
            inputMode="tel"
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          />
          <Button
            variant="default"
            loading={run.isFetching}
            onClick={() => {
              const path = pathWith('/panel/v1/routing', { from: from.replace(/^\+/, ''), to: number });
              if (path === tested) run.refetch();
              else setTested(path);
            }}
          >
            Test
          </Button>
        </Group>
        {run.error && <Failure error={run.error} />}
        {run.data && tested !== null && <Steps run={run.data} number={number} />}
      </Stack>
    </Paper>
  );
}

function Steps({ run, number }: { run: RouteRun; number: string }) {
  const steps = [
    { title: `The call arrives for ${showNumber(number)}`, text: 'The number is yours.' },
    ...run.notes.map((note) => ({ title: note, text: '' })),
  ];
  return (
    <div aria-live="polite">
      <Timeline active={steps.length + run.trunks.length} bulletSize={14} lineWidth={2} role="list">
        {steps.map(({ title, text }) => (
          <Timeline.Item key={title} title={<Text size="sm">{title}</Text>}>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </Timeline.Item>
        ))}
        {run.trunks.map(({ id, name, destination, priority, weight }, index) => (
          <Timeline.Item
            key={id}
            title={
              <Text size="sm">
                {index === 0 ? 'Rings at ' : 'If that fails, rings at '}
                <RouteLink to="/trunks/$id" params={{ id }}>
                  {name}
                </RouteLink>
              </Text>
            }
          >
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {destination} · priority {priority}, weight {weight}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {run.decision === 'refused' && (
        <Alert color="red" variant="light" mt="md" title={run.reason ?? 'The call would be refused'}>
          <Badge color="red" variant="light">
            refused with {run.code}
          </Badge>
        </Alert>
      )}
    </div>
  );
}
