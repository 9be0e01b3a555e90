/** The last step of a registration: which numbers, a dry run that names everything missing, and submitting. */
import { Alert, Button, Group, List, MultiSelect, Paper, Stack, Textarea, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Did, One, Resource } from '../api/documents.ts';
import { useWrite } from '../api/queries.ts';
import { problemTexts } from '../api/request.ts';
import { showNumber } from '../parts/format.ts';
import { type Address, type Identity, onetimeDocumentOf, type Requirement, type Verification } from './paperwork.ts';

interface SubmitProps {
  requirement: One<Requirement>;
  first: Did;
  together: readonly Did[];
  identity: Identity;
  address: Address;
  onetimeFiles: readonly string[];
}

const link = (type: string, id: string) => ({ data: { type, id } });

export function Submit({ requirement, identity, address, onetimeFiles, first, together }: SubmitProps) {
  const navigate = useNavigate();
  const [dids, setDids] = useState([first.id]);
  const [purpose, setPurpose] = useState('');
  const check = useWrite<One<Resource>>();
  const submit = useWrite<One<Verification>>(({ data }) =>
    navigate({ to: '/registrations/$id', params: { id: data.id } }),
  );
  const needsPurpose = requirement.data.attributes.service_description_required;
  const onetime = onetimeDocumentOf(requirement, identity);
  // The dry run knows the identity and the address; what belongs to the submission itself is checked here.
  const unsent = [
    ...(onetime && onetimeFiles.length === 0 ? [`${onetime.attributes.name} required`] : []),
    ...(needsPurpose && purpose.trim() === '' ? ['A sentence about what the numbers are used for'] : []),
  ];
  const missing = check.isIdle || check.isPending ? [] : [...problemTexts(check.error), ...unsent];
  const dryRun = () =>
    check.mutate({
      method: 'POST',
      path: '/v3/address_requirement_validations',
      body: {
        data: {
          type: 'address_requirement_validations',
          relationships: {
            address_requirement: link('address_requirements', requirement.data.id),
            identity: link('identities', identity.id),
            address: link('addresses', address.id),
          },
        },
      },
    });
  const send = () =>
    submit.mutate({
      method: 'POST',
      path: '/v3/address_verifications',
      body: {
        data: {
          type: 'address_verifications',
          attributes: needsPurpose ? { service_description: purpose } : {},
          relationships: {
            address: link('addresses', address.id),
            dids: { data: dids.map((id) => ({ type: 'dids', id })) },
            ...(onetime
              ? { onetime_files: { data: onetimeFiles.map((id) => ({ type: 'encrypted_files', id })) } }
              : {}),
          },
        },
      },
    });
  return (
    <Paper withBorder p="md" maw={720}>
      <Stack>
        <Title order={2} size="h5">
          Check and submit
        </Title>
        <MultiSelect
          label="Numbers"
          data={together.map(({ id, attributes }) => ({ value: id, label: showNumber(attributes.number) }))}
          value={dids}
          onChange={setDids}
        />
        {needsPurpose && (
          <Textarea
            label="What the numbers are used for"
            autosize
            value={purpose}
            onChange={({ currentTarget }) => setPurpose(currentTarget.value)}
          />
        )}
        {check.isSuccess && missing.length === 0 && (
          <Alert color="teal" variant="light" title="Nothing is missing" role="status">
            Submit it now; the review begins at once.
          </Alert>
        )}
        <Problems title="Still missing" texts={missing} />
        <Problems title="It was not accepted" texts={problemTexts(submit.error)} />
        <Group justify="flex-end">
          <Button variant="default" loading={check.isPending} onClick={dryRun}>
            What is missing?
          </Button>
          <Button loading={submit.isPending} disabled={dids.length === 0} onClick={send}>
            Submit
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function Problems({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      <List size="sm">
        {texts.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
