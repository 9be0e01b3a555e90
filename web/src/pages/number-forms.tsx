/** The forms of a number's page: where it rings, and what it is for. */

import { Button, Group, Paper, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type Did, linkOf } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { trunkGroupSource, trunkSource } from '../parts/choices.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError } from '../parts/page.tsx';
import { looks, useChoices } from '../parts/picker.tsx';
import { update } from './number-change.ts';

export function RouteForm({ did }: { did: Did }) {
  const linked = (name: 'voice_in_trunk' | 'voice_in_trunk_group') => linkOf(did, name);
  const current = linked('voice_in_trunk') ?? linked('voice_in_trunk_group');
  const [chosen, setChosen] = useState(current);
  const [isGroup, setIsGroup] = useState(linked('voice_in_trunk') === null && current !== null);
  const trunks = useChoices(
    trunkSource,
    useMemo(() => (chosen === null || isGroup ? [] : [chosen]), [chosen, isGroup]),
  );
  const groups = useChoices(
    trunkGroupSource,
    useMemo(() => (chosen !== null && isGroup ? [chosen] : []), [chosen, isGroup]),
  );
  const choose = (id: string | null) => {
    setChosen(id);
    setIsGroup(groups.choices.some(({ value }) => value === id));
  };
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  const errors = fieldErrors(write.error);
  return (
    <Stack gap="sm">
      <Select
        label="Trunk"
        description="Calls to the number are sent there; a group tries its trunks in turn."
        placeholder="Nowhere"
        {...looks(trunks, groups)}
        clearable
        data={[
          { group: 'Trunks', items: trunks.choices },
          { group: 'Trunk groups', items: groups.choices },
        ]}
        value={chosen}
        onChange={choose}
        error={errors.voice_in_trunk ?? errors.voice_in_trunk_group}
      />
      <FormError text={errors['']} />
      <Group justify="space-between">
        <RouteLink to="/trunks/new">Add a trunk</RouteLink>
        <Button
          disabled={chosen === current}
          loading={write.isPending}
          onClick={() =>
            write.mutate(
              update(did, {
                relationships: routeTo(chosen, isGroup),
              }),
            )
          }
        >
          Save route
        </Button>
      </Group>
      {write.isSuccess && chosen === current && (
        <Text size="sm" c="teal" role="status">
          Saved.
        </Text>
      )}
    </Stack>
  );
}

/** A number rings at a trunk or at a group, never at both. */
function routeTo(id: string | null, isGroup: boolean) {
  return {
    voice_in_trunk: { data: id === null || isGroup ? null : { type: 'voice_in_trunks' as const, id } },
    voice_in_trunk_group: { data: id !== null && isGroup ? { type: 'voice_in_trunk_groups' as const, id } : null },
  };
}

export function DescriptionForm({ did }: { did: Did }) {
  const stored = did.attributes.description ?? '';
  const [text, setText] = useState(stored);
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  const errors = fieldErrors(write.error);
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          Description
        </Title>
        <Textarea
          label="Your own note"
          description="Only you see it; lists can be searched for it."
          autosize
          minRows={1}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={errors.description}
        />
        <FormError text={errors['']} />
        <Group justify="flex-end">
          {write.isSuccess && text === stored && (
            <Text size="sm" c="teal" role="status">
              Saved.
            </Text>
          )}
          <Button
            variant="default"
            disabled={text === stored}
            loading={write.isPending}
            onClick={() => write.mutate(update(did, { attributes: { description: text === '' ? null : text } }))}
          >
            Save description
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
