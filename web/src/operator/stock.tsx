/** What is left to sell in each group of numbers, and who waits for numbers that are not in stock. */
import { Badge } from '@mantine/core';
import type { Resource } from '../api/documents.ts';
import { showMoney } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn, column, timeColumn } from './columns.tsx';
import { accountFilter, yesOrNo } from './filters.ts';

type Stock = Resource<{
  country: string;
  country_iso: string;
  type: string;
  area_name: string;
  prefix: string;
  available: number;
  sold: number;
  waiting: number;
  lowest_price: string | null;
}>;
type BackOrder = Resource<{
  reference: string;
  country: string;
  area_name: string;
  prefix: string;
  qty: number;
  missing: number;
  created_at: string;
}>;

const count = (value: number): string => value.toLocaleString('en-GB');

const stockColumns: readonly ListColumn<Stock>[] = [
  column('country', 'Country', ({ attributes }) => attributes.country, { sort: 'country' }),
  column('area', 'Area', ({ attributes }) => attributes.area_name),
  column('type', 'Type', ({ attributes }) => attributes.type, { secondary: true }),
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix, { sort: 'prefix', secondary: true }),
  column('available', 'In stock', ({ attributes }) => String(attributes.available), {
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
    secondary: true,
    cell: ({ attributes }) => count(attributes.sold),
  }),
  column('waiting', 'Waited for', ({ attributes }) => String(attributes.waiting), {
    secondary: true,
    cell: ({ attributes }) => (attributes.waiting === 0 ? '–' : count(attributes.waiting)),
  }),
  column('price', 'From, a month', ({ attributes }) => attributes.lowest_price ?? '', {
    optional: true,
    cell: ({ attributes }) => (attributes.lowest_price === null ? 'not sold' : showMoney(attributes.lowest_price)),
  }),
];

export function StockReport() {
  return (
    <Page
      title="Stock"
      about="What is left to sell in each group of numbers, and what was sold of it."
      actions={<RouteLink to="/operator/back-orders">Who waits for numbers</RouteLink>}
    >
      <ResourceList<Stock>
        name="stock"
        path="/operator/v1/stock"
        columns={stockColumns}
        defaultSort="country"
        search={{
          label: 'Country as two letters, such as GB',
          parameters: (text): Record<string, string> =>
            text.length === 2 ? { 'filter[country_iso]': text.toUpperCase() } : {},
        }}
        filters={[{ name: 'is_empty', label: 'Sold out', options: yesOrNo }]}
        empty={
          <Empty title="There is no catalogue yet">Groups of numbers appear here when a catalogue is imported.</Empty>
        }
      />
    </Page>
  );
}

const backOrderColumns: readonly ListColumn<BackOrder>[] = [
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('reference', 'Order', ({ attributes }) => attributes.reference, {
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
      <ResourceList<BackOrder>
        name="back orders"
        path="/operator/v1/back_orders"
        fixed={{ include: 'account' }}
        columns={backOrderColumns}
        defaultSort="created_at"
        filters={[accountFilter]}
        empty={<Empty title="Nobody waits for numbers">Every order was served from stock.</Empty>}
      />
    </Page>
  );
}
