/** One number: whose it is, where its calls go now, what happened to it. */

import { Paper, Table, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type One, related } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { showNumber, showTime, showWords, timeOrDash } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';
import type { OperatorNumber } from './documents.ts';

export function NumberPage() {
  const { id } = useParams({ from: '/operator/numbers/$id' });
  return (
    <RecordPage
      noun="Number"
      id={id}
      path={pathWith('/operator/v1/numbers/{id}', { id, include: 'account,order' })}
      list={{ to: '/operator/numbers', label: 'All numbers' }}
    >
      {(document) => <NumberDetails document={document} />}
    </RecordPage>
  );
}

const goodStates: Readonly<Record<string, boolean>> = { active: true, blocked: false, expired: false };

function NumberDetails({ document }: { document: One<OperatorNumber> }) {
  const { data: number } = document;
  const { attributes } = number;
  const account = related(document, number, 'account');
  const order = related(document, number, 'order');
  const history = useRead(
    pathWith('/operator/v1/number_history', {
      'filter[number]': attributes.number,
      include: 'account',
      'page[size]': 50,
    }),
  );
  return (
    <Page
      title={showNumber(attributes.number)}
      about={attributes.description ?? undefined}
      actions={
        <>
          <StateBadge word={attributes.state.replaceAll('_', ' ')} good={goodStates[attributes.state] ?? null} />
          <ButtonLink to="/operator/routing" search={{ to: attributes.number }} variant="default" size="xs">
            Try its route
          </ButtonLink>
          <ButtonLink
            to="/operator/calls"
            search={{ direction: 'in', q: attributes.number }}
            variant="default"
            size="xs"
          >
            Its calls
          </ButtonLink>
        </>
      }
    >
      <Details
        title="Details"
        rows={[
          [
            'Customer',
            account && (
              <RouteLink to="/operator/accounts/$id" params={{ id: account.id }}>
                {account.attributes.name}
              </RouteLink>
            ),
          ],
          ['Rings at', attributes.route ?? 'nothing'],
          [
            'Order',
            order && (
              <RouteLink to="/operator/orders/$id" params={{ id: order.id }}>
                {order.attributes.reference}
              </RouteLink>
            ),
          ],
          ['Owned since', timeOrDash(attributes.owned_since)],
          ['Paid until', timeOrDash(attributes.expires_at)],
        ]}
      />
      <Paper withBorder>
        <Title order={2} size="h5" p="md" pb="xs">
          History, whoever owned it
        </Title>
        {history.data?.data.length === 0 ? (
          <Text size="sm" c="dimmed" p="md" pt={0}>
            Nothing yet.
          </Text>
        ) : (
          <Table aria-label="History" verticalSpacing="xs">
            <Table.Tbody>
              {(history.data?.data ?? []).map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td>{showTime(entry.attributes.created_at)}</Table.Td>
                  <Table.Td>{showWords(entry.attributes.action)}</Table.Td>
                  <Table.Td visibleFrom="xs">{related(history.data, entry, 'account')?.attributes.name}</Table.Td>
                  <Table.Td visibleFrom="sm">
                    {[entry.attributes.value_from, entry.attributes.value_to].filter(Boolean).join(' → ')}
                  </Table.Td>
                  <Table.Td ta="right">{showWords(entry.attributes.method)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
    </Page>
  );
}
