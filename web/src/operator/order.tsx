/** One order of a customer: what it cost, what was given back, and giving money back. */

import { Paper, Select, Table, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type One, related } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { itemWords, showMoney, showTime, sumMoney, timeOrDash } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { OrderStatus } from '../parts/states.tsx';
import type { ChargedItem, OperatorOrder } from './documents.ts';
import { mayDo } from './permissions.ts';

export function OrderPage() {
  const { id } = useParams({ from: '/operator/orders/$id' });
  return (
    <RecordPage
      noun="Order"
      id={id}
      path={pathWith('/operator/v1/orders/{id}', { id, include: 'account' })}
      list={{ to: '/operator/orders', label: 'All orders' }}
    >
      {(document) => <OrderDetails document={document} />}
    </RecordPage>
  );
}

function OrderDetails({ document }: { document: One<OperatorOrder> }) {
  const { data: order } = document;
  const { id, attributes } = order;
  const { data: session } = useSession();
  const account = related(document, order, 'account');
  const refunds = useRead(pathWith('/operator/v1/refunds', { 'filter[order.id]': id }));
  return (
    <Page
      title={`Order ${attributes.reference}`}
      about={attributes.description}
      actions={
        <>
          <OrderStatus status={attributes.status} />
          {attributes.status === 'completed' && mayDo(session, 'move money') && <GiveBack order={order} />}
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
          ['Amount, with VAT', showMoney(attributes.amount)],
          ['Given back', showMoney(attributes.refunded)],
          ['Ordered', showTime(attributes.created_at)],
          ['Finished', timeOrDash(attributes.finished_at)],
          ["Customer's reference", attributes.external_reference_id],
        ]}
      />
      <Items items={attributes.items} />
      <Paper withBorder>
        <Title order={2} size="h5" p="md" pb="xs">
          Refunds
        </Title>
        {refunds.data?.data.length === 0 ? (
          <Text size="sm" c="dimmed" p="md" pt={0}>
            None.
          </Text>
        ) : (
          <Table aria-label="Refunds" verticalSpacing="xs">
            <Table.Tbody>
              {(refunds.data?.data ?? []).map(({ id: key, attributes: refund }) => (
                <Table.Tr key={key}>
                  <Table.Td>{showTime(refund.created_at)}</Table.Td>
                  <Table.Td>{refund.reason}</Table.Td>
                  <Table.Td visibleFrom="xs">{refund.actor}</Table.Td>
                  <Table.Td ta="right">{showMoney(refund.amount)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
    </Page>
  );
}

const leftOf = ({ amount, refunded }: ChargedItem): string =>
  sumMoney([
    { amount, times: 1 },
    { amount: refunded, times: -1 },
  ]);
const isLeft = (item: ChargedItem): boolean => Number(leftOf(item)) > 0;

const wordsOf = ({ position, kind, about, qty }: ChargedItem): string =>
  [`${position}.`, `${qty} ×`, itemWords[kind] ?? 'Other', about].filter(Boolean).join(' ');

function Items({ items }: { items: OperatorOrder['attributes']['items'] }) {
  return (
    <Paper withBorder>
      <Title order={2} size="h5" p="md" pb="xs">
        Items
      </Title>
      <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
        <Table aria-label="Items" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th ta="right">Charged, with VAT</Table.Th>
              <Table.Th ta="right">Given back</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map(({ attributes: item }) => (
              <Table.Tr key={item.position}>
                <Table.Td>{wordsOf(item)}</Table.Td>
                <Table.Td ta="right">{showMoney(item.amount)}</Table.Td>
                <Table.Td ta="right">{showMoney(item.refunded)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

function GiveBack({ order: { id, attributes } }: { order: OperatorOrder }) {
  const dialog = useDisclosure(false);
  const items = attributes.items.map(({ attributes: item }) => item);
  const [chosen, setChosen] = useState<string | null>(null);
  const open = items.filter(isLeft);
  const item = open.find(({ position }) => String(position) === chosen) ?? open[0];
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const write = useWrite<'POST /operator/v1/refunds'>(() => {
    setAmount('');
    setReason('');
    dialog[1].close();
  });
  const errors = fieldErrors(write.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Refund"
      look={{ size: 'xs', variant: 'default' }}
      title={`Refund of ${attributes.reference}`}
      error={errors['']}
      submit={{
        label: 'Give it back',
        isBusy: write.isPending,
        isDisabled: reason.trim() === '' || item === undefined,
      }}
      onSubmit={() => {
        const sent = { ...(item && { position: item.position }), reason, ...(amount === '' ? {} : { amount }) };
        write.mutate({
          method: 'POST',
          path: pathWith('/operator/v1/refunds'),
          body: {
            data: {
              type: 'refunds',
              attributes: sent,
              relationships: { order: { data: { type: 'orders', id } } },
            },
          },
        });
      }}
    >
      <Select
        label="Item of the order"
        placeholder="Fully refunded"
        allowDeselect={false}
        data={items.map((each) => ({
          value: String(each.position),
          label: `${wordsOf(each)}: ${showMoney(leftOf(each))} left`,
          disabled: !isLeft(each),
        }))}
        value={item === undefined ? null : String(item.position)}
        error={errors.position}
        onChange={setChosen}
      />
      <TextInput
        label="Amount, with VAT"
        description={
          item === undefined ? 'Nothing is left to give back' : `Empty: all that is left, ${showMoney(leftOf(item))}`
        }
        inputMode="decimal"
        value={amount}
        error={errors.amount}
        onChange={({ currentTarget }) => setAmount(currentTarget.value)}
      />
      <ReasonInput value={reason} onChange={setReason} error={errors.reason} description="Only operators see it" />
    </FormDialog>
  );
}
