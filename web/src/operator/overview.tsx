/** The operator's first page: customers, what needs attention, the last acts. */

import { Alert, Group, List, Paper, SimpleGrid, Title } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { RouteLink } from '../parts/links.tsx';
import { Failure, Page } from '../parts/page.tsx';
import { AuditTable } from './audit.tsx';
import { ProofStatus } from './books.tsx';
import { Figure } from './figure.tsx';

type Counted =
  | 'accounts'
  | 'back_orders'
  | 'deliveries'
  | 'jobs'
  | 'numbers'
  | 'orders'
  | 'prefix_blocks'
  | 'submissions';

/** How many records a list has. */
function useCount(name: Counted, filter: Readonly<Record<string, string>> = {}) {
  const read = useRead(pathWith(`/operator/v1/${name}`, { ...filter, 'page[size]': 1 }));
  return { ...read, count: read.data && (read.data.meta?.total_records ?? read.data.data.length) };
}

const shown = (count: number | undefined): string => count?.toLocaleString('en-GB') ?? '…';

export function Overview() {
  const accounts = useCount('accounts');
  const suspended = useCount('accounts', { 'filter[suspended]': 'true', 'filter[closed]': 'false' });
  const numbers = useCount('numbers');
  const pending = useCount('orders', { 'filter[status]': 'pending' });
  const audit = useRead(pathWith('/operator/v1/audit_entries', { include: 'account', sort: '-at', 'page[size]': 8 }));
  const failed = [accounts, suspended, numbers, pending, audit].find(({ error }) => error !== null);
  return (
    <Page title="Overview">
      {failed?.error && <Failure error={failed.error} retry={() => failed.refetch()} />}
      <Attention />
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          label="Customers"
          value={shown(accounts.count)}
          link={<RouteLink to="/operator/accounts">All customers</RouteLink>}
        />
        <Figure
          label="Suspended"
          value={shown(suspended.count)}
          link={
            <RouteLink to="/operator/accounts" search={{ suspended: 'true' }}>
              Which
            </RouteLink>
          }
        />
        <Figure
          label="Numbers"
          value={shown(numbers.count)}
          link={<RouteLink to="/operator/numbers">Look one up</RouteLink>}
        />
        <Figure
          label="Pending orders"
          value={shown(pending.count)}
          link={
            <RouteLink to="/operator/orders" search={{ status: 'pending' }}>
              Which
            </RouteLink>
          }
        />
      </SimpleGrid>
      <ProofStatus />
      <Paper withBorder>
        <Group justify="space-between" p="md" pb="xs">
          <Title order={2} size="h5">
            Recent changes
          </Title>
          <RouteLink to="/operator/audit">Audit log</RouteLink>
        </Group>
        {audit.data && <AuditTable entries={audit.data.data} />}
      </Paper>
    </Page>
  );
}

/** What somebody has to do something about, with the way there; nothing if there is nothing. */
function Attention() {
  const review = useCount('submissions', { 'filter[status]': 'pending' });
  const jobs = useCount('jobs', { 'filter[state]': 'failed' });
  const callbacks = useCount('deliveries', { 'filter[status]': 'failed' });
  const waiting = useCount('back_orders');
  const blocked = useCount('prefix_blocks', { 'filter[is_in_force]': 'true', 'filter[mode]': 'block' });
  const points = [
    { of: review, text: 'Submissions that wait for a decision', to: '/operator/review', search: { status: 'pending' } },
    { of: jobs, text: 'Jobs that gave up', to: '/operator/jobs', search: { state: 'failed' } },
    { of: callbacks, text: 'Callbacks that failed', to: '/operator/callbacks', search: { status: 'failed' } },
    { of: waiting, text: 'Orders that wait for numbers', to: '/operator/back-orders', search: {} },
    { of: blocked, text: 'Prefixes blocked for codes', to: '/operator/prefixes', search: { is_in_force: 'true' } },
  ] as const;
  const open = points.filter(({ of }) => (of.count ?? 0) > 0);
  if (open.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="Needs attention">
      <List size="sm" aria-label="Needs attention">
        {open.map(({ of, text, to, search }) => (
          <List.Item key={to}>
            <RouteLink to={to} search={search}>
              {text}
            </RouteLink>
            : {shown(of.count)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
