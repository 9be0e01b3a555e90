/** Emergency calling: services for numbers, adding one, and how its review went. */
import { Alert, Button, Group, List, Modal, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type Did, type Many, type One, type Resource, relatedMany } from '../api/documents.ts';
import { fieldErrors, pathWith, useRead, useWrite } from '../api/queries.ts';
import { useNumbers } from '../parts/choices.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showDate, showMoney, showNumber, showWords } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import type { Address } from './paperwork.ts';
import { Reviewer } from './registrations.tsx';

type Service = Resource<
  { name: string; reference: string; status: string; renew_date: string | null; created_at: string },
  { setup_price: string; monthly_price: string }
>;
type Verification = Resource<{ reference: string; status: 'pending' | 'approved' | 'rejected'; created_at: string }>;

const numbersOf = (service: Service, document: Many<Service>) =>
  relatedMany<Did['attributes']>(document, service, 'dids')
    .map(({ attributes }) => showNumber(attributes.number))
    .join(', ');

const columns: readonly ListColumn<Service>[] = [
  { id: 'name', header: 'Place', sort: 'name', text: ({ attributes }) => attributes.name },
  { id: 'numbers', header: 'Numbers', text: numbersOf },
  { id: 'reference', header: 'Reference', secondary: true, text: ({ attributes }) => attributes.reference },
  {
    id: 'price',
    header: 'A month',
    secondary: true,
    text: ({ meta }) => meta?.monthly_price ?? '',
    cell: ({ meta }) => showMoney(meta?.monthly_price ?? '0'),
  },
  {
    id: 'renews',
    header: 'Renews',
    secondary: true,
    text: ({ attributes }) => attributes.renew_date ?? '',
    cell: ({ attributes }) => showDate(attributes.renew_date),
  },
  {
    id: 'status',
    header: 'State',
    sort: 'status',
    text: ({ attributes }) => showWords(attributes.status),
    cell: ({ attributes }) => (
      <StateBadge
        word={showWords(attributes.status).toLowerCase()}
        good={attributes.status === 'active' ? true : attributes.status === 'canceled' ? false : null}
      />
    ),
  },
  { id: 'actions', header: 'Actions', text: () => '', cell: (service) => <Cancel service={service} /> },
];

export function Emergency() {
  return (
    <Page
      title="Emergency calling"
      about="Numbers that may call emergency services have an address that the services are sent to."
      actions={<AddService />}
    >
      <Waiting />
      <ResourceList<Service>
        name="emergency services"
        path="/v3/emergency_calling_services"
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
  const read = useRead<Many<Verification>>(pathWith('/v3/emergency_verifications', { 'filter[status]': 'pending' }));
  return (
    <>
      {read.data?.data.map(({ id, attributes }) => (
        <Reviewer key={id} type="emergency_verifications" id={id} reference={attributes.reference} />
      ))}
    </>
  );
}

function Cancel({ service }: { service: Service }) {
  const remove = useWrite();
  if (service.attributes.status === 'canceled') return null;
  return (
    <>
      <ConfirmButton
        label="Cancel"
        about={`Cancel ${service.attributes.reference}`}
        question="Its numbers can no longer call emergency services."
        onConfirm={() => remove.mutate({ method: 'DELETE', path: `/v3/emergency_calling_services/${service.id}` })}
      />
      {remove.error && <Text size="sm">{remove.error.message}</Text>}
    </>
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

function AddForm({ onDone }: { onDone: () => void }) {
  const numbers = useNumbers({ 'filter[did_group.features]': 'emergency', 'filter[emergency_enabled]': 'false' });
  const addresses = useRead<Many<Address>>(pathWith('/v3/addresses', { 'page[size]': 100 }));
  const [dids, setDids] = useState<string[]>([]);
  const [address, setAddress] = useState<string | null>(null);
  const submit = useWrite<One<Verification>>(onDone);
  const refusals = submit.error ? Object.values(fieldErrors(submit.error)) : [];
  const relationships = {
    address: { data: { type: 'addresses', id: address } },
    dids: { data: dids.map((id) => ({ type: 'dids', id })) },
  };
  return (
    <Stack>
      {refusals.length > 0 && (
        <Alert color="red" variant="light" role="alert">
          <List size="sm">
            {refusals.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <MultiSelect
        label="Numbers"
        description="Of one country and kind."
        data={numbers}
        value={dids}
        onChange={setDids}
        nothingFoundMessage="No number of yours can do emergency calls"
      />
      <Select
        label="Address"
        description="Where help is sent to."
        data={(addresses.data?.data ?? []).map(({ id, attributes }) => ({
          value: id,
          label: `${attributes.address}, ${attributes.postal_code} ${attributes.city_name}`,
        }))}
        value={address}
        onChange={setAddress}
      />
      <Group justify="flex-end">
        <Button
          disabled={address === null || dids.length === 0}
          loading={submit.isPending}
          onClick={() =>
            submit.mutate({
              method: 'POST',
              path: '/v3/emergency_verifications',
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
