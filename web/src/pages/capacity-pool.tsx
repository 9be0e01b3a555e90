/** One pool of channels: what is free, what more cost, buying them and giving free ones back. */

import { Badge, Button, Group, Modal, NumberInput, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type Many, relatedMany } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showDate, showMoney } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';

type Pool = RecordOf<'/v3/capacity_pools'>;
export function PoolCard({ pool, document }: { pool: Pool; document: Many<Pool> }) {
  const { attributes } = pool;
  const countries = relatedMany(document, pool, 'countries');
  const prices = relatedMany(document, pool, 'qty_based_pricings').sort((a, b) => a.attributes.qty - b.attributes.qty);
  const free = attributes.total_channels_count - attributes.assigned_channels_count;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {attributes.name}
          </Title>
          <Badge variant="light" color={free > 0 ? 'teal' : 'gray'}>
            {free} of {attributes.total_channels_count} channels free
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {countries.length} countries · renews on {showDate(attributes.renew_date)} · metered calls{' '}
          {showMoney(attributes.metered_rate)} a minute
        </Text>
        <Table aria-label={`Prices of ${attributes.name}`} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Channels</Table.Th>
              <Table.Th ta="right">Once, each</Table.Th>
              <Table.Th ta="right">A month, each</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <PriceRow from={1} setup={attributes.setup_price} monthly={attributes.monthly_price} />
            {prices.map(({ id, attributes: price }) => (
              <PriceRow key={id} from={price.qty} setup={price.setup_price} monthly={price.monthly_price} />
            ))}
          </Table.Tbody>
        </Table>
        <Group justify="flex-end">
          {free > 0 && <ReduceButton pool={pool} />}
          <BuyButton pool={pool} />
        </Group>
      </Stack>
    </Paper>
  );
}

const PriceRow = ({ from, setup, monthly }: { from: number; setup: string; monthly: string }) => (
  <Table.Tr>
    <Table.Td>from {from}</Table.Td>
    <Table.Td ta="right">{showMoney(setup)}</Table.Td>
    <Table.Td ta="right">{showMoney(monthly)}</Table.Td>
  </Table.Tr>
);

function BuyButton({ pool }: { pool: Pool }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const least = pool.attributes.minimum_qty_per_order;
  const [qty, setQty] = useState<number | string>(least);
  const order = useWrite<'POST /v3/orders'>(({ data }) => navigate({ to: '/orders/$id', params: { id: data.id } }));
  const items = [
    { type: 'capacity_order_items' as const, attributes: { capacity_pool_id: pool.id, qty: Number(qty) } },
  ];
  return (
    <>
      <Button size="sm" onClick={open} aria-label={`Buy channels of ${pool.attributes.name}`}>
        Buy channels
      </Button>
      <Modal opened={opened} onClose={close} title={`Buy channels of ${pool.attributes.name}`}>
        <Stack>
          <NumberInput
            label="How many"
            description={
              least > 1 ? `At least ${least}.` : 'The first month is charged for the days that are left of it.'
            }
            min={least}
            allowDecimal={false}
            value={qty}
            onChange={setQty}
          />
          <FormError text={Object.values(fieldErrors(order.error)).join(' ')} />
          <Group justify="flex-end">
            <Button
              loading={order.isPending}
              onClick={() =>
                order.mutate({
                  method: 'POST',
                  path: pathWith('/v3/orders'),
                  body: { data: { type: 'orders', attributes: { items } } },
                })
              }
            >
              Order and pay
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function ReduceButton({ pool }: { pool: Pool }) {
  const { total_channels_count: total, assigned_channels_count: assigned, minimum_limit: least } = pool.attributes;
  const kept = Math.max(assigned, least);
  return (
    <ConfirmButton
      label="Release unused channels"
      about={`Release unused channels of ${pool.attributes.name}`}
      question={`The pool goes from ${total} to ${kept} channels, and renewals cost less from the next one on.`}
      act={(send) =>
        send('PATCH', pathWith('/v3/capacity_pools/{id}', { id: pool.id }), {
          data: { id: pool.id, type: 'capacity_pools', attributes: { total_channels_count: kept } },
        })
      }
    />
  );
}
