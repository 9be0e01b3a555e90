/** How many codes came back, by country, prefix, provider, carrier or customer. */

import { Group, NumberInput, Paper, Select, SimpleGrid } from '@mantine/core';
import type { Resource } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { column } from '../parts/columns.tsx';
import { RouteLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { type ReportColumn, ReportTable } from '../parts/report-table.tsx';
import { ShareChart } from '../parts/share-chart.tsx';
import { share } from './columns.tsx';
import { Figure } from './figure.tsx';

type Counts = ReadOf<'/operator/v1/conversions'>['rows'][number];
type Row = Resource<Counts>;

const dimensions = {
  country: 'Country',
  prefix: 'Prefix',
  provider: 'Provider',
  carrier: 'Carrier',
  account: 'Customer',
} as const;
type Dimension = keyof typeof dimensions;
const isDimension = (word: unknown): word is Dimension => Object.hasOwn(dimensions, String(word));

const hours: Readonly<Record<string, { label: string; hours: number }>> = {
  '1': { label: 'Last hour', hours: 1 },
  '24': { label: 'Last 24 hours', hours: 24 },
  '168': { label: 'Last 7 days', hours: 168 },
  '720': { label: 'Last 30 days', hours: 720 },
};

const countries = new Intl.DisplayNames('en', { type: 'region' });

const isUnknown = (key: string | null): key is null => key === null || key.trim() === '';

function nameOf(by: Dimension, { key, name }: Counts): string {
  if (isUnknown(key)) return by === 'provider' || by === 'carrier' ? 'none' : 'unknown';
  if (by === 'prefix') return `+${key}`;
  if (by === 'country') return /^[A-Z]{2}$/.test(key) ? `${countries.of(key) ?? key} (${key})` : key;
  return name ?? key;
}

/** The codes whose fate is known. */
const settled = ({ sent, superseded, open }: Counts): number => sent - superseded - open;
const percent = ({ conversion_percent: value }: Counts): string => (value === null ? '–' : `${value} %`);

function columnsBy(by: Dimension): readonly ReportColumn<Row>[] {
  const count = (id: keyof Counts & string, header: string, options: object = {}): ReportColumn<Row> => ({
    ...column<Row>(id, header, ({ attributes }) => String(attributes[id] ?? ''), { sort: id, ...options }),
    by: ({ attributes }) => Number(attributes[id] ?? -1),
  });
  return [
    {
      ...column<Row>('name', dimensions[by], ({ attributes }) => nameOf(by, attributes), {
        sort: 'name',
        cell: ({ attributes }) => <Subject by={by} counts={attributes} />,
      }),
      by: ({ attributes }) => nameOf(by, attributes),
    },
    count('starts', 'Starts'),
    count('sent', 'Sent', { secondary: true }),
    count('verified', 'Came back', { secondary: true }),
    {
      ...column<Row>('conversion', 'Conversion', ({ attributes }) => percent(attributes), { sort: 'conversion' }),
      by: ({ attributes }) => attributes.conversion_percent ?? -1,
    },
    count('failed', 'Failed', { secondary: true }),
    count('open', 'Still open', { secondary: true }),
    count('superseded', 'Replaced', { optional: true }),
    {
      ...column<Row>(
        'sending',
        'Until sent',
        ({ attributes: { sending_ms: ms } }) => (ms === null ? '–' : `${ms} ms`),
        {
          sort: 'sending',
          secondary: true,
        },
      ),
      by: ({ attributes }) => attributes.sending_ms ?? -1,
    },
  ];
}

function Subject({ by, counts }: { by: Dimension; counts: Counts }) {
  const name = nameOf(by, counts);
  if (isUnknown(counts.key) || by === 'country') return name;
  const id = counts.key;
  if (by === 'prefix') {
    return (
      <RouteLink to="/operator/prefixes" search={{ q: id }}>
        {name}
      </RouteLink>
    );
  }
  const pages = { provider: '/operator/providers/$id', carrier: '/operator/carriers/$id' } as const;
  return (
    <RouteLink to={by === 'account' ? '/operator/accounts/$id' : pages[by]} params={{ id }}>
      {name}
    </RouteLink>
  );
}

const columns = Object.fromEntries(
  Object.keys(dimensions).map((by) => [by, columnsBy(isDimension(by) ? by : 'country')]),
);

/** Ten minutes, as the counts: the address of the report stays the same meanwhile. */
const step = 600_000;

export function Conversion() {
  const [search, change] = useListSearch();
  const by = isDimension(search.by) ? search.by : 'country';
  const period = String(search.hours ?? '24');
  const digits = /^[1-6]$/.test(String(search.digits)) ? Number(search.digits) : 6;
  const now = Math.floor(useServerNow() / step) * step;
  const since = new Date(now - (hours[period]?.hours ?? 24) * 3_600_000).toISOString();
  const read = useRead(
    pathWith('/operator/v1/conversions', { by, since, ...(by === 'prefix' ? { digits } : {}) }),
    60_000,
  );
  // While the report for another choice is read, the former one is not shown under the new titles.
  const report = read.data?.by === by ? read.data.rows : undefined;
  return (
    <Page
      title="Conversion"
      about="How many of the codes that were sent came back. One that was replaced by a newer code, or can still come back, does not count."
      actions={<RouteLink to="/operator/prefixes">Prefix blocks</RouteLink>}
    >
      <Group align="flex-end">
        <Select
          label="By"
          w={160}
          allowDeselect={false}
          value={by}
          onChange={(next) =>
            change({
              by: next === 'country' || next === null ? undefined : next,
              sort: undefined,
              q: undefined,
              page: undefined,
            })
          }
          data={Object.entries(dimensions).map(([value, label]) => ({ value, label }))}
        />
        <Select
          label="Period"
          w={160}
          allowDeselect={false}
          data={Object.entries(hours).map(([value, { label }]) => ({ value, label }))}
          value={period}
          onChange={(next) => change({ hours: next === '24' || next === null ? undefined : next, page: undefined })}
        />
        {by === 'prefix' && (
          <NumberInput
            label="Digits of a prefix"
            w={140}
            min={1}
            max={6}
            allowDecimal={false}
            value={digits}
            onChange={(next) => change({ digits: next === 6 ? undefined : next, page: undefined })}
          />
        )}
      </Group>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {report === undefined ? !read.error && <Waiting /> : <Report by={by} counts={report} />}
    </Page>
  );
}

const charted = 10;

function Report({ by, counts }: { by: Dimension; counts: readonly Counts[] }) {
  const sum = (of: (row: Counts) => number) => counts.reduce((total, row) => total + of(row), 0);
  const rows = counts.map((attributes) => ({ id: attributes.key ?? 'none', type: 'conversions', attributes }));
  const top = counts.filter((row) => settled(row) > 0).slice(0, charted);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure label="Starts" value={sum(({ starts }) => starts).toLocaleString('en-GB')} />
        <Figure label="Codes sent" value={sum(({ sent }) => sent).toLocaleString('en-GB')} />
        <Figure
          label="Came back"
          value={share(
            sum(({ verified }) => verified),
            sum(settled),
          )}
        />
        <Figure label="Still open" value={sum(({ open }) => open).toLocaleString('en-GB')} />
      </SimpleGrid>
      {top.length > 0 && (
        <Paper withBorder p="md">
          <ShareChart
            label={`The ${top.length === 1 ? 'one' : top.length} with the most codes`}
            words={['came back', 'did not']}
            rows={top.map((row) => ({
              key: row.key ?? 'none',
              name: nameOf(by, row),
              good: row.verified,
              bad: Math.max(0, settled(row) - row.verified),
              text: `${percent(row)} of ${settled(row)}`,
            }))}
          />
        </Paper>
      )}
      <ReportTable<Row>
        name="conversion"
        rows={rows}
        columns={columns[by] ?? []}
        defaultSort="-starts"
        search={{ label: dimensions[by], text: ({ attributes }) => nameOf(by, attributes) }}
        empty={
          <Empty title="No codes in this period">Choose a longer period, or wait for the first verification.</Empty>
        }
      />
    </>
  );
}
