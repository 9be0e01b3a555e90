/** Notes about a customer that only operators see. */

import { Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showTime } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import { mayDo } from './permissions.ts';

export function AccountNotes({ id }: { id: string }) {
  const { data: session } = useSession();
  const read = useRead(
    pathWith('/operator/v1/account_notes', { 'filter[account.id]': id, sort: '-created_at', 'page[size]': 50 }),
  );
  const notes = read.data?.data ?? [];
  return (
    <Paper withBorder p="md" component="section" aria-label="Notes">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Notes
        </Title>
        {notes.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing yet. Notes are seen by operators only, never by the customer.
          </Text>
        )}
        {notes.map((note) => (
          <Group key={note.id} justify="space-between" align="flex-start" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {note.attributes.text}
              </Text>
              <Text size="xs" c="dimmed">
                {note.attributes.actor}, {showTime(note.attributes.created_at)}
              </Text>
            </div>
            {mayDo(session, 'remove notes') && <RemoveNote id={note.id} />}
          </Group>
        ))}
        {mayDo(session, 'write notes') && <WriteNote accountId={id} />}
      </Stack>
    </Paper>
  );
}

function RemoveNote({ id }: { id: string }) {
  return (
    <ConfirmButton
      label="Remove"
      about="Remove the note"
      question="The note is deleted for good; the audit log keeps that it was there, without its text."
      act={(send) => send('DELETE', pathWith('/operator/v1/account_notes/{id}', { id }))}
    />
  );
}

function WriteNote({ accountId }: { accountId: string }) {
  const [text, setText] = useState('');
  const write = useWrite<'POST /operator/v1/account_notes'>(() => setText(''));
  const errors = fieldErrors(write.error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const body: BodyOf<'POST /operator/v1/account_notes'> = {
          data: {
            type: 'account_notes',
            attributes: { text },
            relationships: { account: { data: { type: 'accounts', id: accountId } } },
          },
        };
        write.mutate({ method: 'POST', path: pathWith('/operator/v1/account_notes'), body });
      }}
    >
      <Group align="flex-end">
        <Textarea
          label="New note"
          flex="1 1 220px"
          autosize
          minRows={1}
          value={text}
          error={errors.text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={write.isPending} disabled={text.trim() === ''}>
          Add note
        </Button>
      </Group>
      <FormError text={errors['']} />
    </form>
  );
}
