/** One order of a customer: what it cost, what was given back, and giving money back. */
import { Button, Group, Modal, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Many, type One, type Resource, related } from '../api/documents.ts';
import { fieldErrors, pathWith, useRead, useSession, useWrite } from '../api/queries.ts';
import { Details } from '../parts/details.tsx';
import { showMoney, showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { OrderStatus } from '../parts/states.tsx';
import type { OperatorOrder } from './documents.ts';
import { mayDo } from './permissions.ts';

type Refund = Resource<{ amount: string; reason: string; actor: string; created_at: string }>;

export function OrderPage() {
  const { id } = useParams({ from: '/operator/orders/$id' });
  return (
    <RecordPage<OperatorOrder>
      noun="Order"
      id={id}
      path={pathWith(`/operator/v1/orders/${encodeURIComponent(id)}`, { include: 'account' })}
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
  const account = related<{ name: string }>(document, order, 'account');
  const refunds = useRead<Many<Refund>>(pathWith('/operator/v1/refunds', { 'filter[order.id]': id }));
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
          ['Finished', showTime(attributes.finished_at)],
          ["Customer's reference", attributes.external_reference_id],
        ]}
      />
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

function GiveBack({ order: { id, attributes } }: { order: OperatorOrder }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [item, setItem] = useState('1');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const write = useWrite(() => {
    setAmount('');
    setReason('');
    close();
  });
  const errors = fieldErrors(write.error);
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Refund
      </Button>
      <Modal opened={opened} onClose={close} title={`Refund of ${attributes.reference}`}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            const sent = { position: Number(item), reason, ...(amount === '' ? {} : { amount }) };
            write.mutate({
              method: 'POST',
              path: '/operator/v1/refunds',
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
          <Stack>
            <FormError text={errors['']} />
            <TextInput
              label="Item of the order"
              description="1 is the first one"
              inputMode="numeric"
              value={item}
              error={errors.position}
              onChange={({ currentTarget }) => setItem(currentTarget.value)}
            />
            <TextInput
              label="Amount, with VAT"
              description="Empty: all that is left of the item"
              inputMode="decimal"
              value={amount}
              error={errors.amount}
              onChange={({ currentTarget }) => setAmount(currentTarget.value)}
            />
            <TextInput
              label="Reason"
              description="Only operators see it"
              value={reason}
              error={errors.reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit" loading={write.isPending} disabled={reason.trim() === ''}>
                Give it back
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
