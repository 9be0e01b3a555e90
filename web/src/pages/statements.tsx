/** Statements: what moved the balance in a month, from the ledger, as a page and as files. */
import { Button, Group, Paper, Select, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { useFallback } from '../api/live.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { useServerNow } from '../parts/clock.ts';
import { showMoney, showTime, showWords } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';

interface Line {
  movement: string;
  at: string;
  cause: string;
  order: string | null;
  amount: string;
  vat: string;
}
interface Statement {
  month: string;
  opening: string;
  closing: string;
  sums: { cause: string; count: number; amount: string; vat: string }[];
  lines: Line[];
}

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
  const read = useRead<Statement>(pathWith('/panel/v1/statements', { month }), useFallback(30_000));
  const file = (form: string) => addressOf(pathWith(`/panel/v1/statements.${form}`, { month }));
  return (
    <Page
      title="Statements"
      about="Everything that moved your balance in a month, as the ledger has it."
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

/** The movements, newest first. They are all there, so searching and paging need no request. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const [search, change] = useListSearch();
  const typed = String(search.q ?? '').toLowerCase();
  const found = [...lines]
    .reverse()
    .filter(({ cause, order }) => `${showWords(cause)} ${order ?? ''}`.toLowerCase().includes(typed));
  const shown = Number(search.shown ?? pageSize);
  return (
    <Stack gap="sm">
      <TextInput
        label="Search"
        type="search"
        placeholder="Cause or order"
        maw={260}
        value={String(search.q ?? '')}
        onChange={({ currentTarget }) => change({ q: currentTarget.value, shown: undefined })}
      />
      <Paper withBorder>
        {found.length === 0 ? (
          <Empty title={lines.length === 0 ? 'Nothing moved the balance in this month' : 'Nothing matches'}>
            Orders, renewals, calls, verifications and top-ups are listed here.
          </Empty>
        ) : (
          <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
            <Table aria-label="Movements" verticalSpacing="sm" className="compact">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Time</Table.Th>
                  <Table.Th>Cause</Table.Th>
                  <Table.Th visibleFrom="sm">Order</Table.Th>
                  <Table.Th ta="right" visibleFrom="sm">
                    VAT
                  </Table.Th>
                  <Table.Th ta="right">Amount</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.slice(0, shown).map((line) => (
                  <Table.Tr key={line.movement}>
                    <Table.Td>{showTime(line.at)}</Table.Td>
                    <Table.Td>{showWords(line.cause)}</Table.Td>
                    <Table.Td visibleFrom="sm">{line.order ?? '–'}</Table.Td>
                    <Table.Td ta="right" visibleFrom="sm">
                      {showMoney(line.vat)}
                    </Table.Td>
                    <Table.Td ta="right">{showMoney(line.amount)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
      {found.length > shown && (
        <Group justify="space-between">
          <Title order={2} size="h6" c="dimmed" fw={400}>
            {`${shown} of ${found.length.toLocaleString('en-GB')} movements`}
          </Title>
          <Button variant="default" onClick={() => change({ shown: shown + 10 * pageSize })}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}
