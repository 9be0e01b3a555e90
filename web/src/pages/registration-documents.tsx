/** The documents of a registration: proofs of the identity and of the address, and documents that stay with an identity. */
import { Alert, Button, FileInput, Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Named, type One, type Ref, type Resource, related, relatedMany } from '../api/documents.ts';
import { uploadEncrypted } from '../api/encrypt.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { request } from '../api/request.ts';
import { Waiting } from '../parts/page.tsx';
import type { Address, Identity, Requirement } from './paperwork.ts';

interface DocumentStepProps {
  requirement: One<Requirement>;
  identity: Identity;
  address: Address;
  next: () => void;
}

interface Wanted {
  title: string;
  count: number;
  /** Documents that stay with the identity have a template, proofs have one of several types. */
  kinds: readonly { value: string; label: string }[];
  template?: string;
  entity: Ref;
  /** The relationship that lists what is there already. */
  listedIn: 'proofs' | 'permanent_documents';
}

export function DocumentStep({ requirement, identity, address, next }: DocumentStepProps) {
  const [who, where] = [
    useRead<One<Identity>>(
      pathWith(`/v3/identities/${identity.id}`, { include: 'proofs.proof_type,permanent_documents.template' }),
    ),
    useRead<One<Address>>(pathWith(`/v3/addresses/${address.id}`, { include: 'proofs.proof_type' })),
  ];
  if (who.data === undefined || where.data === undefined) return <Waiting />;
  const wanted = wantedBy(requirement, identity, address);
  return (
    <Stack maw={720}>
      {wanted.length === 0 && <Text size="sm">No documents are needed.</Text>}
      {wanted.map((each) => (
        <WantedDocument
          key={each.title}
          wanted={each}
          document={each.entity.type === 'identities' ? who.data : where.data}
        />
      ))}
      <Group justify="flex-end">
        <Button onClick={next}>Go on</Button>
      </Group>
    </Stack>
  );
}

function wantedBy(document: One<Requirement>, identity: Identity, address: Address): Wanted[] {
  const { data: requirement } = document;
  const kind = identity.attributes.identity_type;
  const proofQty = requirement.attributes[`${kind}_proof_qty`];
  const types = (name: string) =>
    relatedMany<Named['attributes']>(document, requirement, name).map(({ id, attributes }) => ({
      value: id,
      label: attributes.name,
    }));
  const template = related<Named['attributes']>(document, requirement, `${kind}_permanent_document`);
  const who = { type: 'identities', id: identity.id };
  const where = { type: 'addresses', id: address.id };
  return [
    {
      title: 'Proof of the identity',
      count: proofQty,
      kinds: types(`${kind}_proof_types`),
      entity: who,
      listedIn: 'proofs' as const,
    },
    {
      title: 'Proof of the address',
      count: requirement.attributes.address_proof_qty,
      kinds: types('address_proof_types'),
      entity: where,
      listedIn: 'proofs' as const,
    },
    ...(template
      ? [
          {
            title: template.attributes.name,
            count: 1,
            kinds: [],
            template: template.id,
            entity: who,
            listedIn: 'permanent_documents' as const,
          },
        ]
      : []),
  ].filter(({ count }) => count > 0);
}

function WantedDocument({ wanted, document }: { wanted: Wanted; document: One<Resource<unknown>> }) {
  const there = relatedMany<{ created_at: string }>(document, document.data, wanted.listedIn);
  const nameOf = (proof: Resource<unknown>) =>
    related<Named['attributes']>(document, proof, wanted.template ? 'template' : 'proof_type')?.attributes.name ??
    'Document';
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          {wanted.title}
        </Title>
        {there.length > 0 && (
          <Table aria-label={`${wanted.title}: stored`}>
            <Table.Tbody>
              {there.map((proof) => (
                <Table.Tr key={proof.id}>
                  <Table.Td>{nameOf(proof)}</Table.Td>
                  <Table.Td ta="right">stored</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Upload wanted={wanted} />
      </Stack>
    </Paper>
  );
}

function Upload({ wanted }: { wanted: Wanted }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [kind, setKind] = useState(wanted.kinds[0]?.value ?? null);
  const upload = useMutation({
    mutationFn: async () => {
      if (file === null) return;
      const files = { data: [{ type: 'encrypted_files', id: await uploadEncrypted(file, file.name) }] };
      await request(
        'POST',
        wanted.template ? '/v3/permanent_supporting_documents' : '/v3/proofs',
        wanted.template ? permanentBody(wanted, files) : proofBody(wanted, kind ?? '', files),
      );
    },
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
        {wanted.kinds.length > 0 && (
          <Select label="Kind" data={[...wanted.kinds]} allowDeselect={false} value={kind} onChange={setKind} />
        )}
        <FileInput
          label="File"
          description="PDF or picture, at most 20 MB"
          placeholder="Choose a file"
          accept="application/pdf,image/*"
          w={220}
          value={file}
          onChange={setFile}
        />
        <Button disabled={file === null} loading={upload.isPending} onClick={() => upload.mutate()}>
          Encrypt and store
        </Button>
      </Group>
    </Stack>
  );
}

type Files = { data: Ref[] };

const proofBody = ({ entity }: Wanted, kind: string, files: Files) => ({
  data: {
    type: 'proofs',
    relationships: { entity: { data: entity }, proof_type: { data: { type: 'proof_types', id: kind } }, files },
  },
});

const permanentBody = ({ entity, template }: Wanted, files: Files) => ({
  data: {
    type: 'permanent_supporting_documents',
    relationships: {
      identity: { data: entity },
      template: { data: { type: 'supporting_document_templates', id: template } },
      files,
    },
  },
});
