/**
 * What can be done with several numbers at once: assign, describe, end, keep. Each is one request; progress is shown.
 */

import { Alert, Button, Group, Modal, Paper, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { pathWith } from '../api/routes.ts';
import { trunkGroupSource, trunkSource } from '../parts/choices.ts';
import type { Selection } from '../parts/list-rows.tsx';
import { RecordSelect } from '../parts/picker.tsx';

type Change = { attributes?: object; relationships?: object };

export function BulkActions({ selection }: { selection: Selection }) {
  const [asked, setAsked] = useState<'trunk' | 'group' | 'description' | null>(null);
  const [progress, setProgress] = useState<{ done: number; of: number; failures: string[] } | null>(null);
  const count = selection.ids.size;

  const work = useAct(async (send, change: Change) => {
    const ids = [...selection.ids];
    const failures: string[] = [];
    setProgress({ done: 0, of: ids.length, failures });
    for (const [index, id] of ids.entries()) {
      try {
        await send('PATCH', pathWith('/v3/dids/{id}', { id }), { data: { id, type: 'dids', ...change } });
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
      setProgress({ done: index + 1, of: ids.length, failures });
    }
    selection.change(new Set());
  });
  const apply = (change: Change) => {
    setAsked(null);
    work.mutate(change);
  };

  if (progress !== null) return <Outcome progress={progress} close={() => setProgress(null)} />;
  if (count === 0) return null;
  return (
    <Paper withBorder p="sm" role="region" aria-label="Selected numbers">
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {count === 1 ? '1 number' : `${count} numbers`}
        </Text>
        <Button size="xs" variant="default" onClick={() => setAsked('trunk')}>
          Ring at a trunk
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsked('group')}>
          Ring at a trunk group
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsked('description')}>
          Describe
        </Button>
        <Button size="xs" variant="default" onClick={() => apply({ attributes: { terminated: false } })}>
          Keep
        </Button>
        <Button size="xs" variant="subtle" color="red" onClick={() => apply({ attributes: { terminated: true } })}>
          End when paid time is over
        </Button>
      </Group>
      <Modal opened={asked !== null} onClose={() => setAsked(null)} title={`Change ${count} numbers`}>
        {asked === 'trunk' && <ChooseRoute kind="trunk" apply={apply} />}
        {asked === 'group' && <ChooseRoute kind="group" apply={apply} />}
        {asked === 'description' && <Describe apply={apply} />}
      </Modal>
    </Paper>
  );
}

const routes = {
  trunk: { label: 'Trunk', source: trunkSource, own: 'voice_in_trunk', other: 'voice_in_trunk_group' },
  group: {
    label: 'Trunk group',
    source: trunkGroupSource,
    own: 'voice_in_trunk_group',
    other: 'voice_in_trunk',
  },
};

function ChooseRoute({ kind, apply }: { kind: 'trunk' | 'group'; apply: (change: Change) => void }) {
  const { label, source, own, other } = routes[kind];
  const [chosen, setChosen] = useState<string | null>(null);
  const relationships = {
    [own]: { data: chosen === null ? null : { type: `${own}s`, id: chosen } },
    ...(chosen === null ? {} : { [other]: { data: null } }),
  };
  return (
    <Stack>
      <RecordSelect label={label} placeholder="Nowhere" clearable source={source} value={chosen} onChange={setChosen} />
      <Group justify="flex-end">
        <Button onClick={() => apply({ relationships })}>Assign</Button>
      </Group>
    </Stack>
  );
}

function Describe({ apply }: { apply: (change: Change) => void }) {
  const [text, setText] = useState('');
  return (
    <Stack>
      <TextInput
        label="Description"
        description="The same for all of them; empty removes it."
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button onClick={() => apply({ attributes: { description: text === '' ? null : text } })}>Describe</Button>
      </Group>
    </Stack>
  );
}

interface OutcomeProps {
  progress: { done: number; of: number; failures: string[] };
  close: () => void;
}

function Outcome({ progress: { done, of, failures }, close }: OutcomeProps) {
  const reasons = [...new Set(failures)];
  return (
    <Alert
      color={failures.length > 0 ? 'red' : 'teal'}
      variant="light"
      role="status"
      title={done < of ? `${done} of ${of} …` : `${of - failures.length} of ${of} numbers changed`}
      withCloseButton={done === of}
      onClose={close}
    >
      <Progress value={(done / of) * 100} aria-label="Progress" mb="xs" />
      {reasons.map((reason) => (
        <Text key={reason} size="sm">
          {reason}
        </Text>
      ))}
    </Alert>
  );
}
