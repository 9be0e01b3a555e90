/**
 * The documents of a registration: proofs of the identity and of the address, documents that stay with the identity,
 * and the one-time document, which belongs to this submission alone.
 */

import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { addressOf, pathFrom } from '../api/base.ts';
import { type One, related, relatedMany } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
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

interface Stored {
  id: string;
  name: string;
  remove: (send: Send) => unknown;
}

interface Wanted {
  title: string;
  count: number;
  /** Proofs have one of several types. */
  kinds: readonly { value: string; label: string }[];
  /** Of documents that stay with the identity. */
  template?: Template;
  /** What is there already. */
  stored: readonly Stored[];
  store: (send: Send, fileId: string, kind: string) => Promise<unknown>;
}

export function DocumentStep(props: DocumentStepProps) {
  const { requirement, identity, address, onetimeFiles, setOnetimeFiles, missing, next } = props;
  const wanted = wantedBy(requirement, identity, address);
  const onetime = onetimeDocumentOf(requirement, identity.data);
  return (
    <Stack maw={720}>
      {wanted.length === 0 && onetime === undefined && <Text size="sm">No documents are needed.</Text>}
      {wanted.map((each) => (
        <WantedDocument key={each.title} wanted={each} />
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

function wantedBy(document: One<Requirement>, identity: One<Identity>, address: One<Address>): Wanted[] {
  const { data: requirement } = document;
  const kind = identity.data.attributes.identity_type;
  const template = related(document, requirement, `${kind}_permanent_document`);
  const types = (name: `${typeof kind}_proof_types` | 'address_proof_types') =>
    relatedMany(document, requirement, name).map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  const proofs = (of: One<Identity> | One<Address>) => ({
    stored: relatedMany(of, of.data, 'proofs').map((proof) => ({
      id: proof.id,
      name: related(of, proof, 'proof_type')?.attributes.name ?? 'Document',
      remove: (send: Send) => send('DELETE', pathWith('/v3/proofs/{id}', { id: proof.id })),
    })),
    store: (send: Send, fileId: string, proofType: string) =>
      send('POST', pathWith('/v3/proofs'), {
        data: {
          type: 'proofs',
          relationships: {
            entity: { data: { type: of.data.type, id: of.data.id } },
            proof_type: { data: { type: 'proof_types', id: proofType } },
            files: { data: [{ type: 'encrypted_files', id: fileId }] },
          },
        },
      }),
  });
  return [
    {
      title: 'Proof of the identity',
      count: requirement.attributes[`${kind}_proof_qty`],
      kinds: types(`${kind}_proof_types`),
      ...proofs(identity),
    },
    {
      title: 'Proof of the address',
      count: requirement.attributes.address_proof_qty,
      kinds: types('address_proof_types'),
      ...proofs(address),
    },
    ...(template ? [permanent(identity, template)] : []),
  ].filter(({ count }) => count > 0);
}

/** A document that stays with the identity. */
const permanent = (identity: One<Identity>, template: Template): Wanted => ({
  title: template.attributes.name,
  count: 1,
  kinds: [],
  template,
  stored: relatedMany(identity, identity.data, 'permanent_documents').map((stored) => ({
    id: stored.id,
    name: related(identity, stored, 'template')?.attributes.name ?? 'Document',
    remove: (send) => send('DELETE', pathWith('/v3/permanent_supporting_documents/{id}', { id: stored.id })),
  })),
  store: (send, fileId) =>
    send('POST', pathWith('/v3/permanent_supporting_documents'), {
      data: {
        type: 'permanent_supporting_documents',
        relationships: {
          identity: { data: { type: 'identities', id: identity.data.id } },
          template: { data: { type: 'supporting_document_templates', id: template.id } },
          files: { data: [{ type: 'encrypted_files', id: fileId }] },
        },
      },
    }),
});

function WantedDocument({ wanted: { title, kinds, template, stored, store } }: { wanted: Wanted }) {
  return (
    <Card title={title} stored={stored}>
      {template && <BlankForm template={template} about="It stays with the identity." />}
      <DocumentUpload
        label={`File of ${title.charAt(0).toLowerCase()}${title.slice(1)}`}
        kinds={kinds}
        onStored={(send, fileId, kind) => store(send, fileId, kind ?? '')}
      />
    </Card>
  );
}

interface CardProps {
  title: string;
  stored: readonly Stored[];
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

const BlankForm = ({ template, about }: { template: Template; about: string }) => (
  <Text size="sm">
    Download the{' '}
    <a href={addressOf(pathFrom('/storage/', template.attributes.url))} download>
      blank form
    </a>
    , have it signed, and store it here. {about}
  </Text>
);
