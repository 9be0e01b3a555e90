/** Statements: what moved the balance in a month, from the ledger, as a page and as files. */

import { Button, Group, Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import type { Resource } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type ReadOf, withQuery } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { column } from '../parts/columns.tsx';
import { showMoney, showTime, showWords } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { type ListColumn, Rows } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { ColumnMenu, Pages, SearchField, shownColumns } from '../parts/list-tools.tsx';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';

type Line = Statement['lines'][number];
type Statement = ReadOf<'/panel/v1/statements'>;

const monthsShown = 24;
const pageSize = 50;

/** This month and those before it, such as `2026-05`, with a name. */
function lastMonths(now: number): { value: string; label: string }[] {
  const name = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const today = new Date(now);
  return Array.from({ length: monthsShown }, (_, back) => {
    const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1));
    return { value: first.toISOString().slice(0, 7), label: name.format(first) };
  });
}

export function Statements() {
  const [search, change] = useListSearch();
  const months = lastMonths(useServerNow());
  const month = String(search.month ?? months[0]?.value);
  const read = useRead(pathWith('/panel/v1/statements', { month }), useFallback(30_000));
  const file = (form: string) => addressOf(withQuery(`/panel/v1/statements.${form}`, { month }));
  return (
    <Page
      title="Statements"
      about="Everything that moved your balance in a month, straight from the ledger."
      actions={
        <>
          <ButtonLink to="/invoices" variant="default">
            Invoices
          </ButtonLink>
          <Button component="a" variant="default" href={file('csv')} download>
            CSV
          </Button>
          <Button component="a" variant="default" href={file('pdf')} download>
            PDF
          </Button>
        </>
      }
    >
      <Select
        label="Month"
        maw={240}
        data={months}
        allowDeselect={false}
        value={month}
        onChange={(value) => change({ month: value ?? undefined, page: undefined })}
      />
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && <Sums statement={read.data} />}
      {read.data && <Lines lines={read.data.lines} />}
    </Page>
  );
}

function Sums({ statement: { opening, closing, sums } }: { statement: Statement }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }}>
      <Figure label="At the beginning" amount={opening} />
      <Figure label="At the end" amount={closing} />
      <Paper withBorder p="md" component="section" aria-label="By cause">
        <Stack gap={4}>
          {sums.length === 0 && (
            <Text size="sm" c="dimmed">
              Nothing moved
            </Text>
          )}
          {sums.map(({ cause, count, amount }) => (
            <Group key={cause} justify="space-between" gap="xs">
              <Text size="sm">
                {showWords(cause)} <Text span c="dimmed" size="sm">{`× ${count}`}</Text>
              </Text>
              <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {showMoney(amount)}
              </Text>
            </Group>
          ))}
        </Stack>
      </Paper>
    </SimpleGrid>
  );
}

const Figure = ({ label, amount }: { label: string; amount: string }) => (
  <Paper withBorder p="md">
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={700}>
      {showMoney(amount)}
    </Text>
  </Paper>
);

type Movement = Resource<Line>;

const columns: readonly ListColumn<Movement>[] = [
  column('time', 'Time', ({ attributes }) => attributes.at, {
    sort: 'at',
    cell: ({ attributes }) => showTime(attributes.at),
  }),
  column('cause', 'Cause', ({ attributes }) => showWords(attributes.cause), { sort: 'cause' }),
  column('order', 'Order', ({ attributes }) => attributes.order ?? '–', { sort: 'order', secondary: true }),
  column('vat', 'VAT', ({ attributes }) => attributes.vat, {
    secondary: true,
    isNumber: true,
    cell: ({ attributes }) => showMoney(attributes.vat),
  }),
  column('amount', 'Amount', ({ attributes }) => attributes.amount, {
    sort: 'amount',
    isNumber: true,
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
];

/** Movements in the order of a sort key such as `-amount`. Those that are equal stay in the order of the ledger. */
function sortedBy(lines: readonly Line[], sort: string): Line[] {
  const key = sort.replace('-', '');
  const compare = (a: Line, b: Line): number => {
    if (key === 'amount') return Number(a.amount) - Number(b.amount);
    if (key === 'cause') return a.cause.localeCompare(b.cause);
    if (key === 'order') return (a.order ?? '').localeCompare(b.order ?? '');
    return a.at.localeCompare(b.at);
  };
  const ascending = [...lines].sort(compare);
  return sort.startsWith('-') ? ascending.reverse() : ascending;
}

/** The movements, newest first. They are all there, so searching, sorting and paging need no request. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const [search, change] = useListSearch();
  const typed = String(search.q ?? '').toLowerCase();
  const sort = String(search.sort ?? '-at');
  const found = sortedBy(lines, sort).filter(({ cause, order }) =>
    `${showWords(cause)} ${order ?? ''}`.toLowerCase().includes(typed),
  );
  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const page = Math.min(Math.max(1, Math.floor(Number(search.page)) || 1), pages);
  const shown = found.slice((page - 1) * pageSize, page * pageSize);
  const visible = shownColumns(columns, search);
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end" justify="space-between">
        <SearchField
          label="Cause or order"
          value={String(search.q ?? '')}
          onChange={(q) => change({ q, page: undefined })}
        />
        <ColumnMenu columns={columns} shown={visible} change={change} />
      </Group>
      <Paper withBorder>
        {found.length === 0 ? (
          <Empty title={lines.length === 0 ? 'Nothing moved the balance in this month' : 'Nothing matches'}>
            Orders, renewals, calls, verifications and top-ups are listed here.
          </Empty>
        ) : (
          <Rows<Movement>
            name="Movements"
            document={{ data: shown.map((line) => ({ type: 'movements', id: line.movement, attributes: line })) }}
            columns={columns}
            shown={visible}
            sort={sort}
            onSort={(key) => change({ sort: sort === key ? `-${key}` : key, page: undefined })}
          />
        )}
      </Paper>
      {found.length > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {found.length === 1 ? '1 movement' : `${found.length.toLocaleString('en-GB')} movements`}
          </Text>
          {pages > 1 && (
            <Pages total={pages} page={page} onPage={(number) => change({ page: number === 1 ? undefined : number })} />
          )}
        </Group>
      )}
    </Stack>
  );
}
