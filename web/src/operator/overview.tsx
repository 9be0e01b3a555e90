/** The operator's first page: customers, what needs attention, the last acts. */
import { Group, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Many } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { RouteLink } from '../parts/links.tsx';
import { Failure, Page } from '../parts/page.tsx';
import { AuditTable } from './audit.tsx';
import type { Account, AuditEntry, OperatorNumber, OperatorOrder } from './documents.ts';

const one = (path: string, filter: Readonly<Record<string, string>> = {}) =>
  pathWith(`/operator/v1/${path}`, { ...filter, 'page[size]': 1 });

export function Overview() {
  const accounts = useRead<Many<Account>>(one('accounts'));
  const suspended = useRead<Many<Account>>(one('accounts', { 'filter[suspended]': 'true', 'filter[closed]': 'false' }));
  const numbers = useRead<Many<OperatorNumber>>(one('numbers'));
  const pending = useRead<Many<OperatorOrder>>(one('orders', { 'filter[status]': 'pending' }));
  const audit = useRead<Many<AuditEntry>>(
    pathWith('/operator/v1/audit_entries', { include: 'account', sort: '-at', 'page[size]': 8 }),
  );
  const failed = [accounts, suspended, numbers, pending, audit].find(({ error }) => error !== null);
  return (
    <Page title="Overview">
      {failed?.error && <Failure error={failed.error} retry={() => failed.refetch()} />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          label="Customers"
          of={accounts.data}
          link={<RouteLink to="/operator/accounts">All customers</RouteLink>}
        />
        <Figure
          label="Suspended"
          of={suspended.data}
          link={
            <RouteLink to="/operator/accounts" search={{ suspended: 'true' }}>
              Which
            </RouteLink>
          }
        />
        <Figure label="Numbers" of={numbers.data} link={<RouteLink to="/operator/numbers">Look one up</RouteLink>} />
        <Figure
          label="Pending orders"
          of={pending.data}
          link={
            <RouteLink to="/operator/orders" search={{ status: 'pending' }}>
              Which
            </RouteLink>
          }
        />
      </SimpleGrid>
      <Paper withBorder>
        <Group justify="space-between" p="md" pb="xs">
          <Title order={2} size="h5">
            Last acts
          </Title>
          <RouteLink to="/operator/audit">Audit log</RouteLink>
        </Group>
        {audit.data && <AuditTable entries={audit.data.data} />}
      </Paper>
    </Page>
  );
}

export function Figure({ label, of, link }: { label: string; of: Many<unknown> | undefined; link: ReactNode }) {
  const count = of && (of.meta?.total_records ?? of.data.length).toLocaleString('en-GB');
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700}>
        {count ?? '…'}
      </Text>
      <Text size="sm" component="div">
        {link}
      </Text>
    </Paper>
  );
}
