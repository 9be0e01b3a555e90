/** What is left to sell in each group of numbers, what is held back, what was done, and who waits for numbers. */

import { Badge, SegmentedControl } from '@mantine/core';
import { type Many, related } from '../api/documents.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showMoney, showNumber, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListFilter } from '../parts/list-filters.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import type { Stock, StockAction } from './documents.ts';
import { accountFilter, choices, yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';
import { ActOnStock, groupName } from './stock-act.tsx';

type HeldNumber = RecordOf<'/operator/v1/held_numbers'>;
type BackOrder = RecordOf<'/operator/v1/back_orders'>;

const count = (value: number): string => value.toLocaleString('en-GB');
const ofGroup: ListFilter = { name: 'did_group.id', label: 'Group', options: [], fromLinks: true };

const stockColumns: readonly ListColumn<Stock>[] = [
  column('country', 'Country', ({ attributes }) => attributes.country, { sort: 'country' }),
  column('area', 'Area', ({ attributes }) => attributes.area_name),
  column('type', 'Type', ({ attributes }) => attributes.type, { secondary: true }),
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix, { sort: 'prefix', secondary: true }),
  column('available', 'In stock', ({ attributes }) => String(attributes.available), {
    isNumber: true,
    cell: ({ attributes }) =>
      attributes.available === 0 ? (
        <Badge variant="light" color="orange">
          none
        </Badge>
      ) : (
        count(attributes.available)
      ),
  }),
  column('sold', 'Sold', ({ attributes }) => String(attributes.sold), {
    isNumber: true,
    secondary: true,
    cell: ({ attributes }) => count(attributes.sold),
  }),
  column('held', 'Held', ({ attributes }) => String(attributes.quarantined + attributes.withdrawn), {
    isNumber: true,
    secondary: true,
    cell: ({ id, attributes }) =>
      attributes.quarantined + attributes.withdrawn === 0 ? (
        '–'
      ) : (
        <RouteLink to="/operator/stock" search={{ view: 'held', 'did_group.id': id }}>
          {count(attributes.quarantined + attributes.withdrawn)}
        </RouteLink>
      ),
  }),
  column('waiting', 'Waited for', ({ attributes }) => String(attributes.waiting), {
    isNumber: true,
    secondary: true,
    cell: ({ id, attributes }) =>
      attributes.waiting === 0 ? (
        '–'
      ) : (
        <RouteLink to="/operator/back-orders" search={{ 'did_group.id': id }}>
          {count(attributes.waiting)}
        </RouteLink>
      ),
  }),
  column('reserved', 'Reserved', ({ attributes }) => String(attributes.reserved), { optional: true }),
  column('price', 'From, a month', ({ attributes }) => attributes.lowest_price ?? '', {
    optional: true,
    cell: ({ attributes }) => (attributes.lowest_price === null ? 'not sold' : showMoney(attributes.lowest_price)),
  }),
  column('actions', 'Actions', () => '', { cell: (group) => <Act group={group} /> }),
];

function Act({ group }: { group: Stock }) {
  const { data: session } = useSession();
  return mayDo(session, 'run the stock') ? <ActOnStock group={group} /> : '–';
}

type OfGroup = HeldNumber | StockAction;

const groupOf = <R extends OfGroup>() =>
  column<R>(
    'group',
    'Group',
    (record: R, document: Many<R>) => {
      const group = related<OfGroup, 'did_group'>(document, record, 'did_group');
      return group === undefined ? '' : groupName({ ...group, type: 'stock' });
    },
    { secondary: true },
  );

const heldColumns: readonly ListColumn<HeldNumber>[] = [
  column('number', 'Number', ({ attributes }) => showNumber(attributes.number), { sort: 'number' }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => (
      <Badge variant="light" color={attributes.state === 'withdrawn' ? 'gray' : 'yellow'}>
        {attributes.state}
      </Badge>
    ),
  }),
  timeColumn('until', 'Until', ({ attributes }) => attributes.until, {
    sort: 'until',
    cell: ({ attributes }) => (attributes.until === null ? 'for ever' : showTime(attributes.until)),
  }),
  groupOf<HeldNumber>(),
  column('reason', 'Reason', ({ attributes }) => attributes.reason, { secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', optional: true }),
];

const actionColumns: readonly ListColumn<StockAction>[] = [
  timeColumn('created', 'When', ({ attributes }) => attributes.created_at, { sort: 'created_at' }),
  column('action', 'What', ({ attributes }) => showWords(attributes.action)),
  column('count', 'Numbers', ({ attributes }) => count(attributes.count), { isNumber: true }),
  column('owned', 'Owned by customers', ({ attributes }) => count(attributes.owned), {
    isNumber: true,
    optional: true,
  }),
  column('skipped', 'Left', ({ attributes }) => count(attributes.skipped), { isNumber: true, secondary: true }),
  groupOf<StockAction>(),
  column('prefix', 'First digits', ({ attributes }) => attributes.number_prefix ?? '', { optional: true }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason, { secondary: true }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { secondary: true }),
];

const views = [
  { value: 'stock', label: 'Groups' },
  { value: 'held', label: 'Held numbers' },
  { value: 'actions', label: 'History' },
];

export function StockReport() {
  const { data: session } = useSession();
  const [search, change] = useListSearch();
  const view = String(search.view ?? 'stock');
  return (
    <Page
      title="Stock"
      about="What is left to sell in each group of numbers, what is held back from sale, and what operators did with it."
      actions={
        <>
          <RouteLink to="/operator/back-orders">Who waits for numbers</RouteLink>
          {mayDo(session, 'run the stock') && <ActOnStock />}
        </>
      }
    >
      <SegmentedControl
        aria-label="What is shown"
        w={{ base: '100%', xs: 420 }}
        value={view}
        onChange={(next) =>
          change({
            ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
            view: next === 'stock' ? undefined : next,
          })
        }
        data={views}
      />
      {view === 'stock' && (
        <ResourceList
          key={view}
          name="stock"
          path={pathWith('/operator/v1/stock')}
          columns={stockColumns}
          defaultSort="country"
          search={{
            label: 'Country, area or prefix',
            // Two letters are the code of a country: a part of a name would find Austria for US.
            parameters: (text): Record<string, string> =>
              /^[a-z]{2}$/i.test(text) ? { 'filter[country_iso]': text.toUpperCase() } : { 'filter[search]': text },
          }}
          filters={[{ name: 'is_empty', label: 'Sold out', options: yesOrNo }]}
          empty={
            <Empty title="There is no catalogue yet" action={<RouteLink to="/operator/imports">Import one</RouteLink>}>
              Groups of numbers appear here when a catalogue is imported.
            </Empty>
          }
        />
      )}
      {view === 'held' && (
        <ResourceList
          key={view}
          name="held numbers"
          path={pathWith('/operator/v1/held_numbers')}
          fixed={{ include: 'did_group' }}
          columns={heldColumns}
          defaultSort="-created_at"
          search={{
            label: 'Three or more digits',
            parameters: (text): Record<string, string> => {
              const digits = text.replace(/\D/g, '');
              return digits.length < 3 ? {} : { 'filter[number_contains]': digits };
            },
          }}
          filters={[{ name: 'state', label: 'State', options: choices(['withdrawn', 'quarantined']) }, ofGroup]}
          empty={<Empty title="No number is held back">Withdraw or quarantine numbers with the button above.</Empty>}
        />
      )}
      {view === 'actions' && (
        <ResourceList
          key={view}
          name="stock actions"
          path={pathWith('/operator/v1/stock_actions')}
          fixed={{ include: 'did_group' }}
          columns={actionColumns}
          defaultSort="-created_at"
          search={{ label: 'Who, exactly', parameters: (text) => ({ 'filter[actor]': text }) }}
          filters={[
            { name: 'action', label: 'What', options: choices(['withdraw', 'quarantine', 'release', 'move']) },
            ofGroup,
          ]}
          empty={<Empty title="Nothing has been done yet">Numbers that were withdrawn, held, released or moved.</Empty>}
        />
      )}
    </Page>
  );
}

const backOrderColumns: readonly ListColumn<BackOrder>[] = [
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('reference', 'Order', ({ attributes }) => attributes.reference, {
    oneLine: true,
    cell: ({ attributes }) => (
      <RouteLink to="/operator/orders" search={{ q: attributes.reference }}>
        {attributes.reference}
      </RouteLink>
    ),
  }),
  accountColumn(),
  column('where', 'Where', ({ attributes }) => `${attributes.area_name}, ${attributes.country}`),
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix, { optional: true }),
  column('missing', 'Missing', ({ attributes }) => `${attributes.missing} of ${attributes.qty}`, { sort: 'missing' }),
];

export function BackOrders() {
  return (
    <Page
      title="Back orders"
      about="Orders that wait for numbers which are not in stock, the oldest first. They are served when numbers arrive."
      actions={<RouteLink to="/operator/stock">Stock</RouteLink>}
    >
      <ResourceList
        name="back orders"
        path={pathWith('/operator/v1/back_orders')}
        fixed={{ include: 'account' }}
        columns={backOrderColumns}
        defaultSort="created_at"
        search={{
          label: 'Part of the reference',
          parameters: (text): Record<string, string> =>
            text.length < 3 ? {} : { 'filter[reference_contains]': text.toUpperCase() },
        }}
        filters={[accountFilter, ofGroup]}
        empty={<Empty title="Nobody waits for numbers">Every order was served from stock.</Empty>}
      />
    </Page>
  );
}
