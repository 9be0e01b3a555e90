/** Registrations: what was submitted for numbers, and how the review went; identities with their addresses. */

import { Alert, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useAct } from '../api/acts.ts';
import { type Many, type One, related, relatedMany } from '../api/documents.ts';
import { useSession } from '../api/queries.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { Details } from '../parts/details.tsx';
import { showNumber, showTime } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { ReviewStatus } from '../parts/states.tsx';
import { nameOf, type Verification } from './paperwork.ts';

const numbersOf = (verification: Verification, document: Many<Verification> | One<Verification>) =>
  relatedMany(document, verification, 'dids');

const columns: readonly ListColumn<Verification>[] = [
  column('reference', 'Reference', ({ attributes }) => attributes.reference, {
    oneLine: true,
    sort: 'reference',
    cell: ({ id, attributes }) => (
      <RouteLink to="/registrations/$id" params={{ id }}>
        {attributes.reference}
      </RouteLink>
    ),
  }),
  column('numbers', 'Numbers', (verification, document) =>
    numbersOf(verification, document)
      .map(({ attributes }) => showNumber(attributes.number))
      .join(', '),
  ),
  column('created', 'Submitted', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => <ReviewStatus status={attributes.status} />,
  }),
];

export function Registrations() {
  return (
    <Page
      title="Registrations"
      about="In some countries a number works only after an identity and an address have been approved for it."
      actions={
        <>
          <ButtonLink to="/identities" variant="default">
            Identities
          </ButtonLink>
          <ButtonLink to="/registrations/new">Register numbers</ButtonLink>
        </>
      }
    >
      <ResourceList
        name="registrations"
        path={pathWith('/v3/address_verifications')}
        fixed={{ include: 'dids' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Reference', parameters: (text) => ({ 'filter[reference]': text.toUpperCase() }) }}
        filters={[
          {
            name: 'status',
            label: 'Status',
            options: [
              { value: 'pending', label: 'Pending' },
              { value: 'approved', label: 'Approved' },
              { value: 'rejected', label: 'Rejected' },
            ],
          },
        ]}
        empty={
          <Empty
            title="Nothing has been registered yet"
            action={<ButtonLink to="/registrations/new">Register numbers</ButtonLink>}
          >
            Numbers that need paperwork are “unregistered” in their list. Register them here in five steps.
          </Empty>
        }
      />
    </Page>
  );
}

const pollMs = 3_000;

export function RegistrationPage() {
  const { id } = useParams({ from: '/registrations/$id' });
  return (
    <RecordPage
      noun="Registration"
      id={id}
      path={pathWith('/v3/address_verifications/{id}', { id, include: 'dids,address.identity' })}
      list={{ to: '/registrations', label: 'All registrations' }}
      every={pollMs}
    >
      {(document) => <Registration document={document} />}
    </RecordPage>
  );
}

function Registration({ document }: { document: One<Verification> }) {
  const verification = document.data;
  const { attributes } = verification;
  const address = related(document, verification, 'address');
  const identity = related(document, address, 'identity');
  const numbers = numbersOf(verification, document);
  return (
    <Page
      title={`Registration ${attributes.reference}`}
      about={`Submitted ${showTime(attributes.created_at)}`}
      actions={<ReviewStatus status={attributes.status} />}
    >
      {attributes.status === 'rejected' && (
        <Alert color="red" variant="light" title="The reviewer rejected it">
          <Stack gap={4}>
            {attributes.reject_reasons?.map((reason) => (
              <Text key={reason} size="sm">
                {reason}
              </Text>
            ))}
            {attributes.reject_comment && <Text size="sm">{attributes.reject_comment}</Text>}
            <Text size="sm">
              Mend what they name, then{' '}
              <RouteLink
                to="/registrations/new"
                search={{
                  number: numbers[0]?.id,
                  also:
                    numbers
                      .slice(1)
                      .map(({ id }) => id)
                      .join('.') || undefined,
                  identity: identity?.id,
                  address: address?.id,
                  step: 1,
                }}
              >
                register again
              </RouteLink>
              .
            </Text>
          </Stack>
        </Alert>
      )}
      {attributes.status === 'pending' && <Reviewer type="address_verifications" id={verification.id} />}
      <Details
        title="Submitted"
        rows={[
          ['Identity', identity && nameOf(identity)],
          [
            'Address',
            address &&
              `${address.attributes.address}, ${address.attributes.postal_code} ${address.attributes.city_name}`,
          ],
        ]}
      />
      <Paper withBorder>
        <Title order={2} size="h5" p="md" pb="xs">
          Numbers
        </Title>
        <Table aria-label="Numbers">
          <Table.Tbody>
            {numbers.map(({ id, attributes: did }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <RouteLink to="/numbers/$id" params={{ id }}>
                    {showNumber(did.number)}
                  </RouteLink>
                </Table.Td>
                <Table.Td ta="right">{did.awaiting_registration ? 'awaiting registration' : 'ready'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Page>
  );
}

/** In the sandbox anybody plays the reviewer. */
interface ReviewerProps {
  type: 'address_verifications' | 'emergency_verifications';
  id: string;
  /** Where the page shows several. */
  reference?: string;
}

type Decision = BodyOf<'POST /sandbox/v1/address_verifications/{id}/decision'>;

export function Reviewer({ type, id, reference }: ReviewerProps) {
  const { data: session } = useSession();
  const path = pathWith(`/sandbox/v1/${type}/{id}/decision`, { id });
  const decide = useAct((send, decision: Decision) => send('POST', path, decision));
  if (session?.environment !== 'sandbox') {
    return (
      <Alert color="yellow" variant="light" title={`${reference ?? 'It'} is being reviewed`}>
        You are notified here, and by the callback if there is one.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" variant="light" title={`${reference ?? 'It'} waits for the reviewer`}>
      <Stack gap="xs">
        <Text size="sm">In the sandbox you play the reviewer yourself.</Text>
        <Group gap="xs">
          <Button size="xs" loading={decide.isPending} onClick={() => decide.mutate({ action: 'approve' })}>
            Approve
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              decide.mutate({
                action: 'reject',
                reasons: ['The document cannot be read'],
                comment: 'Rejected in the sandbox',
              })
            }
          >
            Reject
          </Button>
        </Group>
        {decide.error && <Text size="sm">{decide.error.message}</Text>}
      </Stack>
    </Alert>
  );
}
