/** The form that lets something go wrong in the sandbox: what, to which requests, how often. */

import { Group, NumberInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { type BodyOf, pathWith, type ReadOf } from '../api/routes.ts';
import { FormDialog } from '../parts/form-dialog.tsx';

type FaultAction = BodyOf<'POST /sandbox/v1/faults'>['do'];

export type ScenarioNames = Pick<ReadOf<'/sandbox/v1/scenarios'>, 'faults' | 'errors'>;

/** Endings of a request that need no name. */
const endings: Readonly<Record<string, { label: string; action: FaultAction }>> = {
  unavailable: { label: 'Refused with 503', action: { status: 503 } },
  failed: { label: 'Refused with 500', action: { status: 500 } },
  limited: { label: 'Refused with 429 and Retry-After', action: { rate_limit: true } },
  slow: { label: 'Waits 30 seconds', action: { delay_ms: 30_000 } },
  broken: { label: 'The connection breaks before it is handled', action: { drop: true } },
  unanswered: { label: 'Handled, but the connection breaks', action: { drop: 'response' } },
  half: { label: 'Handled, and half of the response arrives', action: { truncate: true } },
};

const named = (names: readonly string[]) => names.map((name) => ({ value: `error ${name}`, label: name }));

function actionOf(chosen: string, names: ScenarioNames): FaultAction {
  const [, kind, name = ''] = /^(error|fault) (.+)$/.exec(chosen) ?? [];
  if (kind === 'error') return { error: name };
  const fault = names.faults.find((each) => each.name === name)?.name;
  if (kind === 'fault' && fault !== undefined) return { fault };
  return endings[chosen]?.action ?? {};
}

export function NewFault({ names }: { names: ScenarioNames }) {
  const dialog = useDisclosure(false);
  const [chosen, setChosen] = useState('unavailable');
  const [method, setMethod] = useState<string | null>(null);
  const [path, setPath] = useState('');
  const [times, setTimes] = useState<number | string>(1);
  const [isEndless, setEndless] = useState(false);
  const add = useWrite<'POST /sandbox/v1/faults'>(dialog[1].close);
  const action = actionOf(chosen, names);
  const isOfRequests = action.fault === undefined;
  const match = {
    ...(method === null ? {} : { method }),
    ...(path.trim() === '' ? {} : { path: path.trim() }),
  };
  const body = {
    ...(isOfRequests && Object.keys(match).length > 0 ? { match } : {}),
    do: action,
    times: isEndless ? null : Number(times),
  };
  return (
    <FormDialog
      dialog={dialog}
      label="Make something fail"
      title="Make something fail"
      size="lg"
      error={Object.values(fieldErrors(add.error))[0]}
      submit={{ label: 'Start it', isBusy: add.isPending }}
      onSubmit={() => add.mutate({ method: 'POST', path: pathWith('/sandbox/v1/faults'), body })}
    >
      <Select
        label="What happens"
        searchable
        allowDeselect={false}
        data={[
          {
            group: 'To requests',
            items: Object.entries(endings).map(([value, { label }]) => ({ value, label })),
          },
          {
            group: 'Behind them',
            items: names.faults.map(({ name, description }) => ({ value: `fault ${name}`, label: description })),
          },
          { group: 'Errors of /v3', items: named(names.errors.v3) },
          {
            group: 'Errors of /api/v1',
            items: named(names.errors.api_v1.filter((name) => !names.errors.v3.includes(name))),
          },
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? chosen)}
      />
      {isOfRequests && (
        <>
          <Group grow align="flex-start">
            <Select
              label="Method"
              placeholder="Any"
              clearable
              data={['GET', 'POST', 'PATCH', 'DELETE']}
              value={method}
              onChange={setMethod}
            />
            <TextInput
              label="Path"
              placeholder="/v3/orders or /v3/dids/*"
              value={path}
              onChange={({ currentTarget }) => setPath(currentTarget.value)}
            />
          </Group>
          <Text size="xs" c="dimmed">
            Without a path, all requests of your account to /v3 and /api/v1; this panel's own are among them.
          </Text>
        </>
      )}
      <Group align="flex-end">
        <NumberInput label="How often" w={140} min={1} disabled={isEndless} value={times} onChange={setTimes} />
        <Switch
          label="Until it is removed"
          pb={8}
          checked={isEndless}
          onChange={({ currentTarget }) => setEndless(currentTarget.checked)}
        />
      </Group>
    </FormDialog>
  );
}
