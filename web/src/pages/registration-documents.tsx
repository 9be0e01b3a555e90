/**
 * The documents of a registration: proofs of the identity and of the address, documents that stay with the identity, and
 * the one-time document, which belongs to this submission alone.
 */
import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { addressOf, pathFrom } from '../api/base.ts';
import { type Named, type One, type Ref, type Resource, related, relatedMany } from '../api/documents.ts';
import type { Send } from '../api/writer.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Waiting } from '../parts/page.tsx';
import { DocumentUpload } from './document-upload.tsx';
import { type Address, type Identity, onetimeDocumentOf, type Requirement, type Template } from './paperwork.ts';
import { Missing, type RegistrationCheck } from './registration-check.tsx';

interface DocumentStepProps {
  requirement: One<Requirement>;
  /** With their proofs and documents. */
  identity: One<Identity>;
  address: One<Address>;
  /** Ids of the files of the one-time document. */
  onetimeFiles: readonly string[];
  setOnetimeFiles: (fileIds: readonly string[]) => void;
  /** Undefined while that is not known. */
  missing: RegistrationCheck['problems'] | undefined;
  next: () => void;
}

interface Wanted {
  title: string;
  count: number;
  /** Proofs have one of several types; documents that stay with the identity have a template. */
  kinds: readonly { value: string; label: string }[];
  template?: Resource<Template>;
  entity: Ref;
  /** The relationship that lists what is there already. */
  listedIn: 'proofs' | 'permanent_documents';
}

export function DocumentStep(props: DocumentStepProps) {
  const { requirement, identity, address, onetimeFiles, setOnetimeFiles, missing, next } = props;
  const wanted = wantedBy(requirement, identity.data, address.data);
  const onetime = onetimeDocumentOf(requirement, identity.data);
  return (
    <Stack maw={720}>
      {wanted.length === 0 && onetime === undefined && <Text size="sm">No documents are needed.</Text>}
      {wanted.map((each) => (
        <WantedDocument
          key={each.title}
          wanted={each}
          document={each.entity.type === 'identities' ? identity : address}
        />
      ))}
      {onetime && (
        <Card
          title={onetime.attributes.name}
          stored={onetimeFiles.map((id) => ({
            id,
            name: 'For this submission',
            remove: () => setOnetimeFiles(onetimeFiles.filter((each) => each !== id)),
          }))}
        >
          <BlankForm template={onetime} about="A new one is needed for every submission." />
          <DocumentUpload
            label={`File of ${onetime.attributes.name}`}
            onStored={(_send, fileId) => setOnetimeFiles([...onetimeFiles, fileId])}
          />
        </Card>
      )}
      {missing === undefined ? <Waiting /> : <Missing problems={missing} />}
      <Group justify="flex-end">
        <Button disabled={missing?.length !== 0} onClick={next}>
          Go on
        </Button>
      </Group>
    </Stack>
  );
}

function wantedBy(document: One<Requirement>, identity: Identity, address: Address): Wanted[] {
  const { data: requirement } = document;
  const kind = identity.attributes.identity_type;
  const types = (name: string) =>
    relatedMany<Named['attributes']>(document, requirement, name).map(({ id, attributes }) => ({
      value: id,
      label: attributes.name,
    }));
  const template = related<Template>(document, requirement, `${kind}_permanent_document`);
  const who = { type: 'identities', id: identity.id };
  const where = { type: 'addresses', id: address.id };
  return [
    {
      title: 'Proof of the identity',
      count: requirement.attributes[`${kind}_proof_qty`],
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
            template,
            entity: who,
            listedIn: 'permanent_documents' as const,
          },
        ]
      : []),
  ].filter(({ count }) => count > 0);
}

function WantedDocument({ wanted, document }: { wanted: Wanted; document: One<Resource<unknown>> }) {
  const nameOf = (proof: Resource<unknown>) =>
    related<Named['attributes']>(document, proof, wanted.template ? 'template' : 'proof_type')?.attributes.name ??
    'Document';
  const there = relatedMany<unknown>(document, document.data, wanted.listedIn).map((proof) => ({
    id: proof.id,
    name: nameOf(proof),
    remove: (send: Send) =>
      send('DELETE', `/v3/${wanted.template ? 'permanent_supporting_documents' : 'proofs'}/${proof.id}`),
  }));
  return (
    <Card title={wanted.title} stored={there}>
      {wanted.template && <BlankForm template={wanted.template} about="It stays with the identity." />}
      <DocumentUpload
        label={`File of ${wanted.title.charAt(0).toLowerCase()}${wanted.title.slice(1)}`}
        kinds={wanted.kinds}
        onStored={(send, fileId, kind) =>
          send(
            'POST',
            wanted.template ? '/v3/permanent_supporting_documents' : '/v3/proofs',
            wanted.template ? permanentBody(wanted, fileId) : proofBody(wanted, kind ?? '', fileId),
          )
        }
      />
    </Card>
  );
}

interface CardProps {
  title: string;
  stored: readonly { id: string; name: string; remove: (send: Send) => unknown }[];
  children: ReactNode;
}

const Card = ({ title, stored, children }: CardProps) => (
  <Paper withBorder p="md">
    <Stack>
      <Title order={2} size="h5">
        {title}
      </Title>
      {stored.length > 0 && (
        <Table aria-label={`${title}: stored`}>
          <Table.Tbody>
            {stored.map(({ id, name, remove }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ta="right">stored</Table.Td>
                <Table.Td ta="right">
                  <ConfirmButton
                    label="Remove"
                    about={`Remove ${name}`}
                    question="You can store another one in its place."
                    act={async (send) => remove(send)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {children}
    </Stack>
  </Paper>
);

const BlankForm = ({ template, about }: { template: Resource<Template>; about: string }) => (
  <Text size="sm">
    Download the{' '}
    <a href={addressOf(pathFrom('/storage/', template.attributes.url))} download>
      blank form
    </a>
    , have it signed, and store it here. {about}
  </Text>
);

const proofBody = ({ entity }: Wanted, kind: string, fileId: string) => ({
  data: {
    type: 'proofs',
    relationships: {
      entity: { data: entity },
      proof_type: { data: { type: 'proof_types', id: kind } },
      files: { data: [{ type: 'encrypted_files', id: fileId }] },
    },
  },
});

const permanentBody = ({ entity, template }: Wanted, fileId: string) => ({
  data: {
    type: 'permanent_supporting_documents',
    relationships: {
      identity: { data: entity },
      template: { data: { type: 'supporting_document_templates', id: template?.id } },
      files: { data: [{ type: 'encrypted_files', id: fileId }] },
    },
  },
});
