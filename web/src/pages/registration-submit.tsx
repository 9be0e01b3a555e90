/**
 * The last step of a registration: which numbers, what they are for, everything that is still missing, and submitting.
 */

import { Alert, Button, Group, Paper, Stack, Textarea, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import type { One } from '../api/documents.ts';
import { problemTexts } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { showNumber } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import { RecordMultiSelect } from '../parts/picker.tsx';
import { type Address, type Identity, onetimeDocumentOf, type Requirement, unregistered } from './paperwork.ts';
import { Missing, useCheck } from './registration-check.tsx';

interface SubmitProps {
  requirement: One<Requirement>;
  /** The numbers: that of the wizard, and those that were submitted with it before. */
  first: string;
  also: readonly string[];
  identity: Identity;
  address: Address;
  onetimeFiles: readonly string[];
  /** To the step where something is mended. */
  go: (step: number) => void;
}

export function Submit({ requirement, identity, address, onetimeFiles, first, also, go }: SubmitProps) {
  const navigate = useNavigate();
  const [dids, setDids] = useState([first, ...also]);
  const [purpose, setPurpose] = useState('');
  const submit = useWrite<'POST /v3/address_verifications'>(({ data }) =>
    navigate({ to: '/registrations/$id', params: { id: data.id } }),
  );
  const needsPurpose = requirement.data.attributes.service_description_required;
  const isDescribed = needsPurpose && purpose.trim() !== '';
  const onetime = onetimeDocumentOf(requirement, identity);
  const { check, error } = useCheck({
    ...{ numbers: dids, identity: identity.id, address: address.id },
    ...{ onetimeFiles: onetimeFiles.length, isDescribed },
  });
  const taken = (check?.numbers ?? [])
    .filter(({ state }) => state !== 'unregistered')
    .map(({ number, state }) => `${number ? showNumber(number) : 'A number'} ${stateTexts[state]}.`);
  const isComplete = check !== undefined && check.problems.length === 0 && taken.length === 0;
  const send = () =>
    submit.mutate({
      method: 'POST',
      path: pathWith('/v3/address_verifications'),
      body: {
        data: {
          type: 'address_verifications',
          attributes: needsPurpose ? { service_description: purpose.trim() } : {},
          relationships: {
            address: { data: { type: 'addresses', id: address.id } },
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
        <RecordMultiSelect
          label="Numbers"
          description="All of them need the same paperwork."
          source={unregistered(requirement.data.id)}
          value={dids}
          error={taken.join(' ') || undefined}
          onChange={setDids}
        />
        {needsPurpose && (
          <Textarea
            label="What the numbers are used for"
            autosize
            required
            value={purpose}
            onChange={({ currentTarget }) => setPurpose(currentTarget.value)}
          />
        )}
        {isComplete && (
          <Alert color="teal" variant="light" title="Nothing is missing" role="status">
            Submit it now; the review begins at once.
          </Alert>
        )}
        {check && <Missing problems={check.problems} go={go} />}
        <FormError text={[...problemTexts(submit.error), ...problemTexts(error)].join(' ')} />
        <Group justify="flex-end">
          <Button loading={submit.isPending} disabled={!isComplete} onClick={send}>
            Submit
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const stateTexts = {
  under_review: 'is under review already',
  registered: 'needs no registration',
  unknown: 'is not in your account',
  unregistered: '',
} as const;
