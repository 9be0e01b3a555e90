/** Looking up numbers across all customers. */
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showNumber } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import type { OperatorNumber } from './documents.ts';
import { accountFilter, choices } from './filters.ts';

const columns: readonly ListColumn<OperatorNumber>[] = [
  column('number', 'Number', ({ attributes }) => attributes.number, {
    sort: 'number',
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/numbers/$id" params={{ id }}>
        {showNumber(attributes.number)}
      </RouteLink>
    ),
  }),
  accountColumn(),
  column('state', 'State', ({ attributes }) => attributes.state.replaceAll('_', ' ')),
  column('route', 'Rings at', ({ attributes }) => attributes.route ?? 'nothing', { secondary: true }),
  column('description', 'Note', ({ attributes }) => attributes.description ?? '', { optional: true }),
  timeColumn('since', 'Owned since', ({ attributes }) => attributes.owned_since, { optional: true }),
  timeColumn('expires', 'Paid until', ({ attributes }) => attributes.expires_at, {
    sort: 'expires_at',
    secondary: true,
  }),
];

const states = ['active', 'pending', 'awaiting_registration', 'blocked', 'terminated', 'expired'];

export function Numbers() {
  return (
    <Page title="Numbers" about="Who owns a number, what it does, and where its calls go.">
      <ResourceList
        name="numbers"
        path={pathWith('/operator/v1/numbers')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="number"
        search={{
          label: 'At least three digits',
          parameters: (text): Record<string, string> => {
            const digits = text.replace(/\D/g, '');
            return digits.length < 3 ? {} : { 'filter[number_contains]': digits };
          },
        }}
        filters={[{ name: 'state', label: 'State', options: choices(states) }, accountFilter]}
        empty={<Empty title="No numbers yet">Numbers appear here when a customer buys them.</Empty>}
      />
    </Page>
  );
}
