/** Runs all jobs that gave up in a time again, or discards them; the same for callbacks. */

import { Alert, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { localTime } from '../parts/replay-window.tsx';

interface BulkActionProps {
  subject: 'jobs' | 'deliveries';
  /** What they are called on the page. */
  noun: string;
  /** Only callbacks of this customer. */
  accountId?: string | undefined;
}

const abouts = {
  jobs: {
    retry: 'Jobs that gave up and fell due in this time run again, with all their attempts.',
    discard: 'Jobs that gave up and fell due in this time are removed and never run.',
  },
  deliveries: {
    retry: 'Callbacks of this time that failed or were given up are sent again, at most 10,000.',
    discard: 'Callbacks of this time that are still to be sent are given up, at most 10,000.',
  },
} as const;

export function BulkAction({ subject, noun, accountId }: BulkActionProps) {
  const dialog = useDisclosure(false);
  const now = useServerNow();
  const [action, setAction] = useState<'retry' | 'discard'>('retry');
  const [since, setSince] = useState(() => localTime(now - 86_400_000));
  const [until, setUntil] = useState(() => localTime(now + 60_000));
  const [task, setTask] = useState('');
  const [reason, setReason] = useState('');
  const write = useWrite<'POST /operator/v1/bulk_actions'>();
  const errors = fieldErrors(write.error);
  const iso = (time: string) => new Date(time).toISOString();
  const send = () =>
    write.mutate({
      method: 'POST',
      path: pathWith('/operator/v1/bulk_actions'),
      body: {
        data: {
          type: 'bulk_actions',
          attributes: {
            subject,
            action,
            reason,
            ...(since === '' ? {} : { since: iso(since) }),
            ...(until === '' ? {} : { until: iso(until) }),
            ...(task.trim() === '' ? {} : { task: task.trim() }),
          },
          ...(accountId === undefined
            ? {}
            : { relationships: { account: { data: { type: 'accounts', id: accountId } } } }),
        },
      },
    });
  return (
    <FormDialog
      dialog={dialog}
      label="Retry a period …"
      look={{ variant: 'default' }}
      title={`All ${noun} of a period`}
      error={errors['']}
      submit={{
        label: action === 'retry' ? 'Try all again' : 'Give all up',
        ...(action === 'retry' ? {} : { color: 'red' }),
        isBusy: write.isPending,
        isDisabled: reason.trim() === '',
      }}
      onSubmit={send}
    >
      <SegmentedControl
        aria-label="What is done"
        value={action}
        onChange={(next) => {
          write.reset();
          setAction(next === 'discard' ? 'discard' : 'retry');
        }}
        data={[
          { value: 'retry', label: 'Try again' },
          { value: 'discard', label: 'Give up' },
        ]}
      />
      <Text size="sm">
        {abouts[subject][action]}
        {accountId !== undefined && ' Only those of this customer.'}
      </Text>
      <Group grow>
        <TextInput
          label="From"
          type="datetime-local"
          value={since}
          error={errors.since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={until}
          error={errors.until}
          onChange={({ currentTarget }) => setUntil(currentTarget.value)}
        />
      </Group>
      {subject === 'jobs' && (
        <TextInput
          label="Only this task"
          description="Such as orders.fulfil; empty for all"
          value={task}
          error={errors.task}
          onChange={({ currentTarget }) => setTask(currentTarget.value)}
        />
      )}
      <ReasonInput value={reason} onChange={setReason} error={errors.reason} />
      {write.data && (
        <Alert color="teal" variant="light" role="status">
          {`${write.data.data.attributes.count.toLocaleString('en-GB')} ${noun} ${action === 'retry' ? 'are tried again' : 'were given up'}.`}
        </Alert>
      )}
    </FormDialog>
  );
}
