/** Sends everything of a period again, or only what failed in it. */

import { Alert, Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import type { Path } from '../api/routes.ts';
import { useServerNow } from './clock.ts';
import { FormError } from './page.tsx';

type ReplayPath = Path<unknown, '/panel/v1/callback_replays' | '/panel/v1/call_event_replays'>;

interface ReplayProps {
  path: ReplayPath;
  noun: string;
}

export function ReplayWindow({ path, noun }: ReplayProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Send again …
      </Button>
      <Modal opened={opened} onClose={close} title={`Send ${noun} of a period again`}>
        {opened && <Form path={path} noun={noun} />}
      </Modal>
    </>
  );
}

/** As the input of a date and time takes it, in this browser's time zone. */
export const localTime = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

function Form({ path, noun }: ReplayProps) {
  const now = useServerNow();
  const [since, setSince] = useState(() => localTime(now - 86_400_000));
  const [until, setUntil] = useState(() => localTime(now + 60_000));
  const [onlyFailed, setOnlyFailed] = useState(true);
  const replay = useAct((send) =>
    send('POST', path, {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      failed_only: onlyFailed,
    }),
  );
  return (
    <Stack>
      <Group grow>
        <TextInput
          label="From"
          type="datetime-local"
          value={since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={until}
          onChange={({ currentTarget }) => setUntil(currentTarget.value)}
        />
      </Group>
      <Switch
        label="Only those that failed"
        checked={onlyFailed}
        onChange={({ currentTarget }) => setOnlyFailed(currentTarget.checked)}
      />
      {replay.data && (
        <Alert color="teal" variant="light" role="status">
          {replay.data.replayed} {noun} are sent again.
          {replay.data.more ? ' There are more: send again for the rest.' : ''}
        </Alert>
      )}
      <FormError text={replay.error?.message} />
      <Group justify="flex-end">
        <Button loading={replay.isPending} disabled={since === '' || until === ''} onClick={() => replay.mutate()}>
          Send again
        </Button>
      </Group>
    </Stack>
  );
}
