/** Erasures of personal data: proof of what was erased, and what had to be kept and why. */

import { List, Text } from '@mantine/core';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between } from './filters.ts';

type Erasure = RecordOf<'/operator/v1/erasures'>;

const erasedOf = ({ attributes }: Erasure): string[] =>
  Object.entries(attributes.erased)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);

const keptOf = ({ attributes }: Erasure): string[] =>
  Object.entries(attributes.kept)
    .filter(([, { count }]) => count > 0)
    .map(([what, { count, why }]) => `${count} ${what.replaceAll('_', ' ')}: ${why}`);

const listed = (lines: readonly string[]) =>
  lines.length === 0 ? (
    <Text size="sm" c="dimmed">
      nothing
    </Text>
  ) : (
    <List size="sm" maw={380}>
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );

const columns: readonly ListColumn<Erasure>[] = [
  timeColumn('created', 'When', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  accountColumn(),
  column('erased', 'Erased', (erasure) => erasedOf(erasure).join('; '), {
    cell: (erasure) => listed(erasedOf(erasure)),
  }),
  column('kept', 'Kept, and why', (erasure) => keptOf(erasure).join('; '), {
    secondary: true,
    cell: (erasure) => listed(keptOf(erasure)),
  }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason, { secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
];

export function Erasures() {
  return (
    <Page
      title="Erasures"
      about="Personal data that was erased on request, with proof of what is gone and what the law makes us keep."
    >
      <ResourceList
        name="erasures"
        path={pathWith('/operator/v1/erasures')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the reason', parameters: (text) => ({ 'filter[reason_contains]': text }) }}
        filters={[...between('created_at'), accountFilter]}
        empty={
          <Empty
            title="Nothing has been erased yet"
            action={
              <RouteLink to="/operator/accounts" search={{ closed: 'true' }}>
                Closed customers
              </RouteLink>
            }
          >
            Close a customer first; then an owner erases the personal data on the customer's page.
          </Empty>
        }
      />
    </Page>
  );
}
