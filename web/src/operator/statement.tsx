/** A customer's statement of a month, from the ledger alone, and the invoice for it. */

import { Button, Group, Paper, SimpleGrid, Table, Text, TextInput, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useWrite } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import type { One } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { type BodyOf, pathWith, type ReadOf, withQuery } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { showMoney, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import type { Account } from './documents.ts';
import { mayDo } from './permissions.ts';

type Statement = ReadOf<'/operator/v1/statements'>;

export function StatementPage() {
  const { id } = useParams({ from: '/operator/accounts/$id/statement' });
  return (
    <RecordPage
      noun="Statement"
      id={id}
      path={pathWith('/operator/v1/accounts/{id}', { id })}
      list={{ to: '/operator/accounts', label: 'All customers' }}
    >
      {(document) => <OfMonth document={document} />}
    </RecordPage>
  );
}

function OfMonth({ document: { data: account } }: { document: One<Account> }) {
  const [search, change] = useListSearch();
  const now = new Date(useServerNow()).toISOString().slice(0, 7);
  const month = /^\d{4}-\d\d$/.test(String(search.month)) ? String(search.month) : now;
  const query = { account: account.id, month };
  const read = useRead(pathWith('/operator/v1/statements', query));
  return (
    <Page
      title={`Statement of ${account.attributes.name}`}
      about="Straight from the ledger: the opening balance, every movement of the month, and the closing balance."
      actions={
        <RouteLink to="/operator/accounts/$id" params={{ id: account.id }}>
          The customer
        </RouteLink>
      }
    >
      <Group align="flex-end">
        <TextInput
          label="Month"
          type="month"
          max={now}
          value={month}
          onChange={({ currentTarget }) => change({ month: currentTarget.value })}
        />
        <Button
          component="a"
          href={addressOf(withQuery('/operator/v1/statements.csv', query))}
          variant="default"
          download
        >
          CSV
        </Button>
        <Button
          component="a"
          href={addressOf(withQuery('/operator/v1/statements.pdf', query))}
          variant="default"
          download
        >
          PDF
        </Button>
        <InvoiceOf accountId={account.id} month={month} hasEnded={month < now} />
      </Group>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && <Movements statement={read.data} />}
    </Page>
  );
}

function InvoiceOf({ accountId, month, hasEnded }: { accountId: string; month: string; hasEnded: boolean }) {
  const { data: session } = useSession();
  const filter = { 'filter[account.id]': accountId, 'filter[month]': month };
  const issued = useRead(pathWith('/operator/v1/invoices', filter));
  const write = useWrite<'POST /operator/v1/invoices'>();
  const bills = issued.data?.data;
  if (bills === undefined) return null;
  if (bills.length > 0) {
    return (
      <>
        {bills.map(({ id, attributes }) => (
          <Button key={id} component="a" href={addressOf(`/operator/v1/invoices/${id}.pdf`)} variant="default" download>
            {showWords(attributes.kind)} {attributes.reference} (PDF)
          </Button>
        ))}
      </>
    );
  }
  if (!mayDo(session, 'move money')) return null;
  const body: BodyOf<'POST /operator/v1/invoices'> = {
    data: {
      type: 'invoices',
      attributes: { month },
      relationships: { account: { data: { type: 'accounts', id: accountId } } },
    },
  };
  return (
    <>
      <Button
        loading={write.isPending}
        disabled={!hasEnded}
        onClick={() => write.mutate({ method: 'POST', path: pathWith('/operator/v1/invoices'), body })}
      >
        Issue the invoice
      </Button>
      {!hasEnded && (
        <Text size="sm" c="dimmed">
          The invoice can be issued when the month has ended.
        </Text>
      )}
      <FormError text={fieldErrors(write.error)['']} />
    </>
  );
}

function Movements({ statement: { opening, closing, sums, lines } }: { statement: Statement }) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3 }}>
        <Amount label="Opening balance" amount={opening} />
        <Amount label="Closing balance" amount={closing} />
        <Amount label="Movements" amount={null} count={lines.length} />
      </SimpleGrid>
      <Paper withBorder>
        <Title order={2} size="h5" p="md" pb="xs">
          By cause
        </Title>
        {sums.length === 0 ? (
          <Text size="sm" c="dimmed" p="md" pt={0}>
            Nothing moved in this month.
          </Text>
        ) : (
          <Table aria-label="By cause" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Cause</Table.Th>
                <Table.Th ta="right">Count</Table.Th>
                <Table.Th ta="right" visibleFrom="xs">
                  Net
                </Table.Th>
                <Table.Th ta="right" visibleFrom="xs">
                  VAT
                </Table.Th>
                <Table.Th ta="right">On the balance</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sums.map((sum) => (
                <Table.Tr key={sum.cause}>
                  <Table.Td>{showWords(sum.cause)}</Table.Td>
                  <Table.Td ta="right">{sum.count}</Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {showMoney(sum.net)}
                  </Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {showMoney(sum.vat)}
                  </Table.Td>
                  <Table.Td ta="right">{showMoney(sum.amount)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
      {lines.length > 0 && (
        <Paper withBorder>
          <Title order={2} size="h5" p="md" pb="xs">
            Movements
          </Title>
          <Table aria-label="Movements" verticalSpacing="xs">
            <Table.Tbody>
              {lines.map((line) => (
                <Table.Tr key={line.movement}>
                  <Table.Td>{showTime(line.at)}</Table.Td>
                  <Table.Td>{showWords(line.cause)}</Table.Td>
                  <Table.Td visibleFrom="xs">{line.order ?? ''}</Table.Td>
                  <Table.Td ta="right">{showMoney(line.amount)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </>
  );
}

function Amount({ label, amount, count }: { label: string; amount: string | null; count?: number }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={700}>
        {amount === null ? count : showMoney(amount)}
      </Text>
    </Paper>
  );
}
