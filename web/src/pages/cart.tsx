/** The cart and the checkout. Numbers that were picked are held; the time that is left is counted down. */

import { Alert, Badge, Button, Group, Paper, Table, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAct, useWrite } from '../api/acts.ts';
import { useFallback } from '../api/live.ts';
import { ApiProblem, fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { type CartLine, useCart } from '../parts/cart.ts';
import { useServerNow } from '../parts/clock.ts';
import { showMoney, showNumber, showSeconds, sumMoney } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { Empty, Failure, FormError, Page } from '../parts/page.tsx';

export function CartPage() {
  const cart = useCart();
  const navigate = useNavigate();
  const now = useServerNow();
  // An order has no more items than fit into one request.
  const heldIds = cart.lines.flatMap(({ held }) => held?.reservationId ?? []).join(',');
  const reservations = useRead(
    heldIds === '' ? null : pathWith('/v3/did_reservations', { 'filter[id]': heldIds, 'page[size]': 100 }),
    useFallback(15_000),
  );
  const balance = useRead(pathWith('/v3/balance'));
  const left = (line: CartLine): number | null => {
    if (!line.held) return null;
    const { reservationId } = line.held;
    const held = reservations.data?.data.find(({ id }) => id === reservationId);
    if (reservations.data === undefined) return 1;
    return held ? (Date.parse(held.attributes.expires_at) - now) / 1000 : 0;
  };
  const lapsed = cart.lines.filter((line) => (left(line) ?? 1) <= 0);
  // A number stays in the cart until it is no longer held: it would be off the market, and nobody would know.
  const release = useAct(
    (send, { held }: CartLine) =>
      send('DELETE', pathWith('/v3/did_reservations/{id}', { id: held?.reservationId ?? '' })).catch(isGone),
    (_answer, { id }) => cart.remove(id),
  );
  const checkout = useWrite<'POST /v3/orders'>(({ data }) => {
    cart.clear();
    navigate({ to: '/orders/$id', params: { id: data.id } });
  });
  const remove = (line: CartLine) => {
    if (line.held && (left(line) ?? 0) > 0) release.mutate(line);
    else cart.remove(line.id);
  };
  if (cart.lines.length === 0) {
    return (
      <Page title="Cart">
        <Paper withBorder>
          <Empty title="The cart is empty" action={<ButtonLink to="/buy">Find numbers</ButtonLink>} />
        </Paper>
      </Page>
    );
  }
  const once = sumMoney(cart.lines.map(({ setupPrice, qty }) => ({ amount: setupPrice, times: qty })));
  const monthly = sumMoney(cart.lines.map(({ monthlyPrice, qty }) => ({ amount: monthlyPrice, times: qty })));
  const errors = fieldErrors(checkout.error);
  const refusals = Object.values(errors).join(' ');
  return (
    <Page title="Cart" about="Prices are without VAT; the first month is charged for the days that are left of it.">
      {reservations.error && <Failure error={reservations.error} retry={() => reservations.refetch()} />}
      {lapsed.length > 0 && (
        <Alert color="yellow" variant="light" title="A reservation has expired">
          Remove it, or pick it again if it is still in stock.
        </Alert>
      )}
      <Paper withBorder>
        <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
          <Table aria-label="Cart" verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Numbers</Table.Th>
                <Table.Th ta="right" visibleFrom="sm">
                  Once
                </Table.Th>
                <Table.Th ta="right">A month</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {cart.lines.map((line) => (
                <Table.Tr key={line.id}>
                  <Table.Td>
                    <Text size="sm" fw={500}>
                      {line.held ? showNumber(line.held.number) : `${line.qty} × any number`}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {line.place}
                    </Text>
                    <Hold seconds={left(line)} />
                  </Table.Td>
                  <Table.Td ta="right" visibleFrom="sm">
                    {showMoney(sumMoney([{ amount: line.setupPrice, times: line.qty }]))}
                  </Table.Td>
                  <Table.Td ta="right">
                    {showMoney(sumMoney([{ amount: line.monthlyPrice, times: line.qty }]))}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      loading={release.isPending && release.variables?.id === line.id}
                      onClick={() => remove(line)}
                    >
                      Remove
                    </Button>
                    {release.variables?.id === line.id && <FormError text={release.error?.message} />}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      <Paper withBorder p="md">
        <Group justify="space-between">
          <div>
            <Text fw={600}>{`${showMoney(once)} once, ${showMoney(monthly)} a month`}</Text>
            {balance.data && (
              <Text size="sm" c="dimmed">
                You can spend {showMoney(balance.data.data.attributes.total_balance)}
              </Text>
            )}
          </div>
          <Button
            disabled={lapsed.length > 0}
            loading={checkout.isPending}
            onClick={() =>
              checkout.mutate({
                method: 'POST',
                path: pathWith('/v3/orders'),
                body: { data: { type: 'orders', attributes: { items: cart.lines.map(itemOf) } } },
              })
            }
          >
            Order and pay
          </Button>
        </Group>
        <FormError text={refusals} />
      </Paper>
    </Page>
  );
}

function isGone(error: unknown): void {
  if (!(error instanceof ApiProblem && error.status === 404)) throw error;
}

const itemOf = ({ skuId, qty, held }: CartLine) => ({
  type: 'did_order_items' as const,
  attributes: { sku_id: skuId, ...(held ? { did_reservation_id: held.reservationId } : { qty }) },
});

function Hold({ seconds }: { seconds: number | null }) {
  if (seconds === null) return null;
  return seconds <= 0 ? (
    <Badge size="sm" variant="light" color="red">
      no longer held
    </Badge>
  ) : (
    <Badge size="sm" variant="light" color={seconds < 60 ? 'orange' : 'gray'}>
      held for {showSeconds(seconds)}
    </Badge>
  );
}
