/** A file that is encrypted in the browser and stored; what it then belongs to is the caller's business. */
import { Alert, Button, FileInput, Group, Select, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { uploadEncrypted } from '../api/encrypt.ts';

interface DocumentUploadProps {
  /** What the document is, for the label of the input. */
  label: string;
  /** The types to choose from; empty where there is only one. */
  kinds?: readonly { value: string; label: string }[];
  /** Receives the id of the stored file and the chosen type. */
  onStored: (fileId: string, kind: string | null) => Promise<unknown> | unknown;
}

export function DocumentUpload({ label, kinds = [], onStored }: DocumentUploadProps) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [kind, setKind] = useState(kinds[0]?.value ?? null);
  const upload = useMutation({
    mutationFn: async (chosen: File) => onStored(await uploadEncrypted(chosen, chosen.name), kind),
    onSuccess: async () => {
      setFile(null);
      await client.invalidateQueries();
    },
  });
  return (
    <Stack gap="xs">
      {upload.error && (
        <Alert color="red" variant="light" role="alert">
          {upload.error.message}
        </Alert>
      )}
      <Group align="flex-end">
        {kinds.length > 0 && (
          <Select
            label="Kind"
            w={{ base: '100%', xs: 240 }}
            data={[...kinds]}
            allowDeselect={false}
            value={kind}
            onChange={setKind}
          />
        )}
        <FileInput
          label={label}
          description="PDF or picture, at most 20 MB"
          placeholder="Choose a file"
          accept="application/pdf,image/*"
          w={{ base: '100%', xs: 220 }}
          value={file}
          onChange={setFile}
        />
        <Button disabled={file === null} loading={upload.isPending} onClick={() => file && upload.mutate(file)}>
          Encrypt and store
        </Button>
      </Group>
    </Stack>
  );
}
