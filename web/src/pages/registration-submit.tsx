/** The last step of a registration: which numbers, a dry run that names everything missing, and submitting. */
import { Alert, Button, Group, List, MultiSelect, Paper, Stack, Textarea, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Did, One, Resource } from '../api/documents.ts';
import { fieldErrors, useWrite } from '../api/queries.ts';
import { showNumber } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import type { Address, Identity, Requirement, Verification } from './paperwork.ts';

interface SubmitProps {
  requirement: One<Requirement>;
  first: Did;
  together: readonly Did[];
  identity: Identity;
  address: Address;
}

export function Submit({ requirement, identity, address, first, together }: SubmitProps) {
  const navigate = useNavigate();
  const [dids, setDids] = useState([first.id]);
  const [purpose, setPurpose] = useState('');
  const check = useWrite<One<Resource>>();
  const submit = useWrite<One<Verification>>(({ data }) =>
    navigate({ to: '/registrations/$id', params: { id: data.id } }),
  );
  const link = (type: string, id: string) => ({ data: { type, id } });
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
  const missing = check.error ? Object.values(fieldErrors(check.error)) : [];
  const needsPurpose = requirement.data.attributes.service_description_required;
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
        {check.isSuccess && (
          <Alert color="teal" variant="light" title="Nothing is missing" role="status">
            Submit it now; the review begins at once.
          </Alert>
        )}
        {missing.length > 0 && (
          <Alert color="red" variant="light" title="Something is missing" role="alert">
            <List size="sm">
              {missing.map((text) => (
                <List.Item key={text}>{text}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <FormError text={submit.error ? Object.values(fieldErrors(submit.error)).join(' ') : undefined} />
        <Group justify="flex-end">
          <Button variant="default" loading={check.isPending} onClick={dryRun}>
            What is missing?
          </Button>
          <Button
            loading={submit.isPending}
            disabled={dids.length === 0}
            onClick={() =>
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
                    },
                  },
                },
              })
            }
          >
            Submit
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
