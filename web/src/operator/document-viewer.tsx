/** The files of a submission, one at a time: images and PDFs are shown in the page. Opening one is in the audit log. */

import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { addressOf } from '../api/base.ts';
import { useSession } from '../api/queries.ts';
import { withQuery } from '../api/routes.ts';
import type { Papers } from './documents.ts';
import { mayDo } from './permissions.ts';

const kilobytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-GB')} KB`;

export function DocumentViewer({ files }: { files: Papers['files'] }) {
  const { data: session } = useSession();
  const [shown, setShown] = useState<string | null>(null);
  const file = files.find(({ id }) => id === shown);
  useHotkeys(files.slice(0, 9).map(({ id }, index) => [String(index + 1), () => setShown(id)]));
  return (
    <Paper withBorder p="md" component="section" aria-label="Documents">
      <Title order={2} size="h5" mb="xs">
        Documents
      </Title>
      {files.length === 0 && (
        <Text size="sm" c="dimmed">
          None were submitted.
        </Text>
      )}
      {!mayDo(session, 'review') && files.length > 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          Only owners and reviewers open files.
        </Text>
      )}
      <Stack gap="xs">
        {files.map(({ id, of, size }, index) => (
          <Button
            key={id}
            variant={id === shown ? 'light' : 'default'}
            justify="space-between"
            disabled={!mayDo(session, 'review')}
            aria-pressed={id === shown}
            onClick={() => setShown(id)}
            rightSection={
              <Text size="xs" c="dimmed" component="span">
                {kilobytes(size)}
              </Text>
            }
          >
            {`${index + 1}  ${of}`}
          </Button>
        ))}
        {file !== undefined && <OpenFile key={file.id} id={file.id} name={file.of} />}
      </Stack>
    </Paper>
  );
}

/** In a frame, since only the response says whether it is an image or a PDF. */
function OpenFile({ id, name }: { id: string; name: string }) {
  const address = addressOf(withQuery('/operator/v1/submission_files', { file: id }));
  return (
    <Stack gap={4}>
      <iframe src={address} title={name} style={{ width: '100%', height: '70vh', border: 0, background: 'white' }} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          The audit log remembers that you opened it.
        </Text>
        <Button component="a" href={address} target="_blank" rel="noreferrer" size="compact-xs" variant="subtle">
          Open in a tab of its own
        </Button>
      </Group>
    </Stack>
  );
}
