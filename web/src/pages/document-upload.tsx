/** A file that is encrypted in the browser and stored; what it then belongs to is the caller's business. */
import { Button, FileInput, Group, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { uploadEncrypted } from '../api/encrypt.ts';
import type { Send } from '../api/writer.ts';
import { FormError } from '../parts/page.tsx';

interface DocumentUploadProps {
  /** What the document is, for the label of the input. */
  label: string;
  /** The types to choose from; empty where there is only one. */
  kinds?: readonly { value: string; label: string }[];
  /** Receives the id of the stored file and the chosen type. */
  onStored: (send: Send, fileId: string, kind: string | null) => Promise<unknown> | unknown;
}

export function DocumentUpload({ label, kinds = [], onStored }: DocumentUploadProps) {
  const [file, setFile] = useState<File | null>(null);
  const [kind, setKind] = useState(kinds[0]?.value ?? null);
  const upload = useAct(
    async (send, chosen: File) => onStored(send, await uploadEncrypted(send, chosen, chosen.name), kind),
    () => setFile(null),
  );
  return (
    <Stack gap="xs">
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
      <FormError text={upload.error?.message} />
    </Stack>
  );
}
