/** Price lists and rate decks: the list of them, and importing one as a dry run that shows every difference. */

import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, choices } from './filters.ts';
import { NewPriceList } from './new-price-list.tsx';
import { mayDo } from './permissions.ts';
import { type PriceList, PriceListState, stateColors } from './price-list-state.tsx';
import { priceKindWords } from './words.ts';

const summary = ({ attributes }: PriceList): string =>
  `${attributes.new_count} new, ${attributes.changed_count} changed, ${attributes.removed_count} removed`;

const columns: readonly ListColumn<PriceList>[] = [
  timeColumn('created', 'Imported', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('kind', 'Prices of', ({ attributes }) => showWords(attributes.kind), {
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/prices/$id" params={{ id }}>
        {showWords(attributes.kind)}
      </RouteLink>
    ),
  }),
  accountColumn(),
  column('changes', 'Differences', summary),
  column('state', 'State', ({ attributes }) => attributes.state, { cell: (list) => <PriceListState list={list} /> }),
  timeColumn('from', 'Valid from', ({ attributes }) => attributes.valid_from, { sort: 'valid_from', secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason ?? '', { optional: true }),
];

export function PriceLists() {
  const { data: session } = useSession();
  return (
    <Page
      title="Price lists"
      about="Prices from CSV. A dry run shows every difference before anything counts; what was charged before keeps its price."
      actions={
        <>
          <RouteLink to="/operator/verification-rates">Verification prices</RouteLink>
          {mayDo(session, 'move money') && <NewPriceList />}
        </>
      }
    >
      <ResourceList
        name="price lists"
        path={pathWith('/operator/v1/price_lists')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the reason', parameters: (text) => ({ 'filter[reason_contains]': text }) }}
        filters={[
          { name: 'kind', label: 'Prices of', options: choices(priceKindWords) },
          { name: 'state', label: 'State', options: choices(Object.keys(stateColors)) },
          accountFilter,
          { name: 'carrier.id', label: 'Carrier', options: [], fromLinks: true },
        ]}
        empty={
          <Empty title="No price list yet">
            Export the prices of today, change the file, and import it as a dry run.
          </Empty>
        }
      />
    </Page>
  );
}
