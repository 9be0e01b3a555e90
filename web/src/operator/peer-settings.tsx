/** What the pages of a carrier and a provider share: the form of its settings, and removing it. */
import { Alert, Paper, Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { type FormRoute, pathWith } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { RecordForm } from '../parts/record-form.tsx';

/** Says that they were saved; the page shows the saved values. */
export function PeerSettings<R extends FormRoute>(
  props: Omit<ComponentProps<typeof RecordForm<R>>, 'onSaved' | 'key'>,
) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Paper withBorder p="md" component="section" aria-label="Settings">
      <Stack>
        <Title order={2} size="h5">
          Settings
        </Title>
        <RecordForm key={JSON.stringify(props.initial)} {...props} onSaved={() => setSaved(true)} />
        {isSaved && (
          <Alert color="teal" variant="light" role="status">
            Saved. Takes effect at once.
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}

interface RemovePeerProps {
  type: 'carriers' | 'providers';
  id: string;
  label: string;
  /** What removing it means. */
  question: string;
}

export function RemovePeer({ type, id, label, question }: RemovePeerProps) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={label}
      question={question}
      act={(send) => send('DELETE', pathWith(`/operator/v1/${type}/{id}`, { id }))}
      onDone={() => navigate({ to: `/operator/${type}` })}
    />
  );
}
