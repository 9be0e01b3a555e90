/** Emergency calling: services for numbers, adding one, and how its review went. */

import { Alert, Button, Group, List, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type Many, relatedMany } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { addressSource, numberSource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { dateOrDash, showMoney, showNumber, showWords } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordMultiSelect, RecordSelect } from '../parts/picker.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { Reviewer } from './registrations.tsx';

type Service = RecordOf<'/v3/emergency_calling_services'>;

const numbersOf = (service: Service, document: Many<Service>) =>
  relatedMany(document, service, 'dids')
    .map(({ attributes }) => showNumber(attributes.number))
    .join(', ');

const columns: readonly ListColumn<Service>[] = [
  column('name', 'Place', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('numbers', 'Numbers', numbersOf),
  column('reference', 'Reference', ({ attributes }) => attributes.reference, { secondary: true }),
  column('price', 'A month', ({ meta }) => meta?.monthly_price ?? '', {
    secondary: true,
    cell: ({ meta }) => showMoney(meta?.monthly_price ?? '0'),
  }),
  column('renews', 'Renews', ({ attributes }) => attributes.renew_date ?? '', {
    secondary: true,
    cell: ({ attributes }) => dateOrDash(attributes.renew_date),
  }),
  column('status', 'State', ({ attributes }) => showWords(attributes.status), {
    sort: 'status',
    cell: ({ attributes }) => (
      <StateBadge
        word={showWords(attributes.status).toLowerCase()}
        good={attributes.status === 'active' ? true : attributes.status === 'canceled' ? false : null}
      />
    ),
  }),
  column('actions', 'Actions', () => '', { cell: (service) => <Cancel service={service} /> }),
];

export function Emergency() {
  return (
    <Page
      title="Emergency calling"
      about="Numbers that may call emergency services have an address that the services are sent to."
      actions={<AddService />}
    >
      <Waiting />
      <ResourceList
        name="emergency services"
        path={pathWith('/v3/emergency_calling_services')}
        fixed={{ include: 'dids' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Reference', parameters: (text) => ({ 'filter[reference]': text.toUpperCase() }) }}
        filters={[
          {
            name: 'status',
            label: 'State',
            options: ['active', 'in_process', 'pending_update', 'canceled'].map((value) => ({
              value,
              label: showWords(value),
            })),
          },
        ]}
        empty={
          <Empty title="No emergency calling yet">
            Add it for numbers whose group can do emergency calls. You need an identity with an address.
          </Empty>
        }
      />
    </Page>
  );
}

/** Submissions that wait for the reviewer. */
function Waiting() {
  const read = useRead(pathWith('/v3/emergency_verifications', { 'filter[status]': 'pending' }));
  return (
    <>
      {read.data?.data.map(({ id, attributes }) => (
        <Reviewer key={id} type="emergency_verifications" id={id} reference={attributes.reference} />
      ))}
    </>
  );
}

function Cancel({ service }: { service: Service }) {
  if (service.attributes.status === 'canceled') return null;
  return (
    <ConfirmButton
      label="Cancel"
      about={`Cancel ${service.attributes.reference}`}
      question="Its numbers can no longer call emergency services."
      act={(send) => send('DELETE', pathWith('/v3/emergency_calling_services/{id}', { id: service.id }))}
    />
  );
}

function AddService() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button onClick={open}>Add emergency calling</Button>
      <Modal opened={opened} onClose={close} title="Emergency calling for numbers">
        {opened && <AddForm onDone={close} />}
      </Modal>
    </>
  );
}

/** Numbers for which it can be asked for now; after the first has been chosen, those that can share its service. */
const capable = (first: string | undefined) =>
  numberSource(first === undefined ? {} : { 'filter[together_with]': first }, '/panel/v1/emergency_numbers');

function AddForm({ onDone }: { onDone: () => void }) {
  const [dids, setDids] = useState<string[]>([]);
  const [address, setAddress] = useState<string | null>(null);
  const submit = useWrite<'POST /v3/emergency_verifications'>(onDone);
  const refusals = submit.error ? Object.values(fieldErrors(submit.error)) : [];
  const relationships = {
    address: { data: { type: 'addresses' as const, id: address ?? '' } },
    dids: { data: dids.map((id) => ({ type: 'dids' as const, id })) },
  };
  return (
    <Stack>
      <RecordMultiSelect
        label="Numbers"
        description="Of one place and kind: the first decides which others can be added."
        source={capable(dids[0])}
        value={dids}
        onChange={setDids}
        nothingFoundMessage="No number of yours can do emergency calls"
      />
      <RecordSelect
        label="Address"
        description="The address that help is sent to."
        source={addressSource}
        value={address}
        onChange={setAddress}
      />
      {refusals.length > 0 && (
        <Alert color="red" variant="light" role="alert">
          <List size="sm">
            {refusals.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button
          disabled={address === null || dids.length === 0}
          loading={submit.isPending}
          onClick={() =>
            submit.mutate({
              method: 'POST',
              path: pathWith('/v3/emergency_verifications'),
              body: { data: { type: 'emergency_verifications', relationships } },
            })
          }
        >
          Submit for review
        </Button>
      </Group>
    </Stack>
  );
}
