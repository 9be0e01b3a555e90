/** One customer with everything: state, money, limits, features, numbers, orders, what operators did. */

import { Alert, Group, Paper, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../api/acts.ts';
import type { Many } from '../api/documents.ts';
import { signedIn, useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showMoney, showNumber, showTime } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { Failure, Page, Waiting } from '../parts/page.tsx';
import { mayStay } from '../parts/record-page.tsx';
import { OrderStatus } from '../parts/states.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountGlance } from './account-glance.tsx';
import { AccountNotes } from './account-notes.tsx';
import { AccountPrices } from './account-prices.tsx';
import { AccountPrivacy } from './account-privacy.tsx';
import { AccountSettings } from './account-settings.tsx';
import { AccountState } from './accounts.tsx';
import { AuditTable } from './audit.tsx';

export function AccountPage() {
  const { id } = useParams({ from: '/operator/accounts/$id' });
  const { data: session } = useSession();
  const read = useRead(pathWith('/operator/v1/accounts/{id}', { id }));
  const newest = { 'filter[account.id]': id, sort: '-created_at', 'page[size]': 5 };
  const numbers = useRead(pathWith('/operator/v1/numbers', newest));
  const orders = useRead(pathWith('/operator/v1/orders', newest));
  const audit = useRead(pathWith('/operator/v1/audit_entries', { ...newest, sort: '-at' }));
  if (read.error && !(read.data?.data.id === id && mayStay(read.error))) {
    return (
      <Page title="Customer">
        <Failure error={read.error} />
        <RouteLink to="/operator/accounts">All customers</RouteLink>
      </Page>
    );
  }
  if (read.data?.data.id !== id) return <Waiting />;
  const account = read.data.data;
  const { attributes } = account;
  return (
    <Page
      title={attributes.name}
      about={`${attributes.email ?? 'No login'} · customer since ${showTime(attributes.created_at)}`}
      actions={
        <>
          <AccountState account={account} />
          {session?.account?.id !== id && <ActAs id={id} name={attributes.name} />}
        </>
      }
    >
      {attributes.suspension_reason !== null && (
        <Alert
          color="red"
          variant="light"
          title={attributes.closed ? 'This account is closed' : 'This account is suspended'}
        >
          <Text size="sm">
            The customer is told: “{attributes.suspension_reason}”
            {attributes.renewals_held && ' Renewals wait until it is resumed.'}
          </Text>
        </Alert>
      )}
      <AccountActions account={account} />
      <More id={id} />
      <AccountNotes id={id} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Part
          title="Numbers"
          total={numbers.data}
          all={
            <RouteLink to="/operator/numbers" search={{ 'account.id': id }}>
              All numbers
            </RouteLink>
          }
        >
          {numbers.data?.data.map(({ id: key, attributes: number }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <RouteLink to="/operator/numbers/$id" params={{ id: key }}>
                  {showNumber(number.number)}
                </RouteLink>
              </Table.Td>
              <Table.Td visibleFrom="xs">{number.route ?? 'no route'}</Table.Td>
              <Table.Td ta="right">{number.state.replaceAll('_', ' ')}</Table.Td>
            </Table.Tr>
          ))}
        </Part>
        <Part
          title="Orders"
          total={orders.data}
          all={
            <RouteLink to="/operator/orders" search={{ 'account.id': id }}>
              All orders
            </RouteLink>
          }
        >
          {orders.data?.data.map(({ id: key, attributes: order }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <RouteLink to="/operator/orders/$id" params={{ id: key }}>
                  {order.reference}
                </RouteLink>
              </Table.Td>
              <Table.Td visibleFrom="xl">{showTime(order.created_at)}</Table.Td>
              <Table.Td ta="right">{showMoney(order.amount)}</Table.Td>
              <Table.Td ta="right">
                <OrderStatus status={order.status} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Part>
      </SimpleGrid>
      <AccountGlance id={id} />
      <AccountPrices id={id} />
      <Paper withBorder>
        <Group justify="space-between" p="md" pb="xs">
          <Title order={2} size="h5">
            What operators did
          </Title>
          <RouteLink to="/operator/audit" search={{ 'account.id': id }}>
            All entries
          </RouteLink>
        </Group>
        {audit.data && <AuditTable entries={audit.data.data} />}
      </Paper>
      <AccountSettings key={`${id} ${JSON.stringify(attributes)}`} account={account} />
      <AccountPrivacy account={account} />
    </Page>
  );
}

/** Everything else about the customer, each in its list. */
function More({ id }: { id: string }) {
  const of = { 'account.id': id };
  return (
    <Group gap="xs" component="nav" aria-label="More about this customer">
      <ButtonLink size="xs" variant="default" to="/operator/accounts/$id/statement" params={{ id }}>
        Statement
      </ButtonLink>
      <ButtonLink size="xs" variant="default" to="/operator/accounts/$id/billing" params={{ id }}>
        Billing profile
      </ButtonLink>
      {lists.map(({ to, label, search }) => (
        <ButtonLink key={label} size="xs" variant="default" to={to} search={{ ...of, ...search }}>
          {label}
        </ButtonLink>
      ))}
    </Group>
  );
}

const lists = [
  { to: '/operator/invoices', label: 'Invoices', search: {} },
  { to: '/operator/ledger', label: 'Ledger', search: {} },
  { to: '/operator/calls', label: 'Calls', search: { direction: 'in' } },
  { to: '/operator/refusals', label: 'Refused calls', search: {} },
  { to: '/operator/verifications', label: 'Verifications', search: {} },
  { to: '/operator/review', label: 'Submissions', search: {} },
  { to: '/operator/prefixes', label: 'Prefix blocks', search: {} },
  { to: '/operator/refunds', label: 'Refunds', search: {} },
  { to: '/operator/adjustments', label: 'Adjustments', search: {} },
  { to: '/operator/callbacks', label: 'Callbacks', search: {} },
  { to: '/operator/requests', label: 'Requests', search: {} },
] as const;

interface PartProps {
  title: string;
  total: Many<unknown> | undefined;
  all: ReactNode;
  children: ReactNode;
}

function Part({ title, total, all, children }: PartProps) {
  const count = total?.meta?.total_records ?? total?.data.length ?? 0;
  return (
    <Paper withBorder>
      <Group justify="space-between" p="md" pb="xs">
        <Title order={2} size="h5">
          {title}{' '}
          <Text span c="dimmed" inherit>
            {count.toLocaleString('en-GB')}
          </Text>
        </Title>
        {all}
      </Group>
      {total?.data.length === 0 ? (
        <Text c="dimmed" size="sm" p="md" pt={0}>
          None.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={0} type="native">
          <Table aria-label={title} verticalSpacing="xs" className="compact">
            <Table.Tbody>{children}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Paper>
  );
}

/** Opens the customer's own pages for the operator. */
function ActAs({ id, name }: { id: string; name: string }) {
  const navigate = useNavigate();
  const dialog = useDisclosure(false);
  const [reason, setReason] = useState('');
  const begin = useAct(
    (send) => send('POST', pathWith('/panel/v1/acting'), { account_id: id, reason }),
    async (session) => {
      signedIn(session);
      await navigate({ to: '/' });
    },
  );
  return (
    <FormDialog
      dialog={dialog}
      label="Act as this customer"
      look={{ variant: 'default', size: 'xs' }}
      title={`Act as ${name}`}
      error={begin.error?.message}
      submit={{ label: 'Act as this customer', isBusy: begin.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() => begin.mutate()}
    >
      <Text size="sm">
        You see the customer's own pages and may change what your role allows. What you do is in the audit log under
        your name and this reason, and the customer sees which keys, members and applications you made.
      </Text>
      <ReasonInput isAlone value={reason} onChange={setReason} description="A ticket, or what the customer asked for" />
    </FormDialog>
  );
}
