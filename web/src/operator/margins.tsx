/** What outbound calls of a month earned and cost, by carrier and by the first digits of the called number. */

import { Group, NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import type { Resource } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { column } from '../parts/columns.tsx';
import { showMoney, showSeconds, sumMoney } from '../parts/format.ts';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { type ReportColumn, ReportTable } from '../parts/report-table.tsx';
import { share } from './columns.tsx';
import { Figure } from './figure.tsx';

type Margin = ReadOf<'/operator/v1/margins'>['rows'][number];
type Row = Resource<Margin>;

const money = (id: 'revenue' | 'cost' | 'margin', header: string, options: object = {}): ReportColumn<Row> => ({
  ...column<Row>(id, header, ({ attributes }) => attributes[id], {
    sort: id,
    cell: ({ attributes }) => showMoney(attributes[id]),
    ...options,
  }),
  by: ({ attributes }) => Number(attributes[id]),
});

const columns: readonly ReportColumn<Row>[] = [
  {
    ...column<Row>('carrier', 'Carrier', ({ attributes }) => attributes.carrier ?? 'none', { sort: 'carrier' }),
    by: ({ attributes }) => attributes.carrier ?? '',
  },
  {
    ...column<Row>('prefix', 'Prefix', ({ attributes }) => `+${attributes.prefix}`, { sort: 'prefix' }),
    by: ({ attributes }) => attributes.prefix,
  },
  {
    ...column<Row>('calls', 'Calls', ({ attributes }) => String(attributes.calls), { sort: 'calls', secondary: true }),
    by: ({ attributes }) => attributes.calls,
  },
  {
    ...column<Row>('answered', 'Answered', ({ attributes }) => share(attributes.answered, attributes.calls), {
      sort: 'answered',
      secondary: true,
    }),
    by: ({ attributes }) => attributes.answered,
  },
  {
    ...column<Row>('billed', 'Billed', ({ attributes }) => String(attributes.billed_seconds), {
      sort: 'billed',
      secondary: true,
      cell: ({ attributes }) => showSeconds(attributes.billed_seconds),
    }),
    by: ({ attributes }) => attributes.billed_seconds,
  },
  money('revenue', 'Revenue', { secondary: true }),
  money('cost', 'Cost', { secondary: true }),
  money('margin', 'Margin'),
];

const total = (rows: readonly Margin[], id: 'revenue' | 'cost' | 'margin'): string =>
  showMoney(sumMoney(rows.map((row) => ({ amount: row[id], times: 1 }))));

export function Margins() {
  const [search, change] = useListSearch();
  const now = new Date(useServerNow()).toISOString().slice(0, 7);
  const month = /^\d{4}-\d\d$/.test(String(search.month)) ? String(search.month) : now;
  const digits = /^[1-9]$/.test(String(search.digits)) ? Number(search.digits) : 2;
  const read = useRead(pathWith('/operator/v1/margins', { month, digits }));
  const rows = read.data?.rows ?? [];
  return (
    <Page
      title="Margins"
      about="What outbound calls of a month earned and cost, without VAT. Calls whose carrier has no rate are counted, and are not in the sums of money."
    >
      <Group align="flex-end">
        <TextInput
          label="Month"
          type="month"
          max={now}
          value={month}
          onChange={({ currentTarget }) => change({ month: currentTarget.value, page: undefined })}
        />
        <NumberInput
          label="Digits of a prefix"
          w={140}
          min={1}
          max={9}
          allowDecimal={false}
          value={digits}
          onChange={(next) => change({ digits: next, page: undefined })}
        />
      </Group>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <Figure label="Revenue" value={total(rows, 'revenue')} />
            <Figure label="Cost" value={total(rows, 'cost')} />
            <Figure label="Margin" value={total(rows, 'margin')} />
          </SimpleGrid>
          <ReportTable<Row>
            name={`margins-${month}`}
            rows={rows.map((attributes) => ({
              id: `${attributes.carrier} ${attributes.prefix}`,
              type: 'margins',
              attributes,
            }))}
            columns={columns}
            defaultSort="margin"
            search={{
              label: 'Carrier or prefix',
              text: ({ attributes }) => `${attributes.carrier} +${attributes.prefix}`,
            }}
            empty={<Empty title="No outbound calls in this month">Choose another month.</Empty>}
          />
        </>
      )}
    </Page>
  );
}
