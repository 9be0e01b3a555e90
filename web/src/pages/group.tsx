/** One group: its offers, and the numbers in it. Numbers are put into the cart by quantity, or one by one and held. */

import {
  Alert,
  Button,
  type ButtonProps,
  Group,
  NumberInput,
  Paper,
  Radio,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type AvailableDid, type DidGroup, type One, related, relatedMany, type Sku } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { useCart } from '../parts/cart.ts';
import { showMoney, showNumber, showWords } from '../parts/format.ts';
import { Empty, Failure, FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { cheapest } from './buy.tsx';

export function GroupPage() {
  const { id } = useParams({ from: '/buy/$id' });
  return (
    <RecordPage
      noun="Group"
      id={id}
      path={pathWith('/v3/did_groups/{id}', { id, include: 'stock_keeping_units,country,did_group_type' })}
      list={{ to: '/buy', label: 'Buy numbers' }}
    >
      {(document) => <GroupDetails key={id} document={document} />}
    </RecordPage>
  );
}

function GroupDetails({ document }: { document: One<DidGroup> }) {
  const group = document.data;
  const country = related(document, group, 'country');
  const kind = related(document, group, 'did_group_type');
  const offers = relatedMany(document, group, 'stock_keeping_units');
  const [skuId, setSkuId] = useState((cheapest(offers.filter(takesCalls)) ?? cheapest(offers))?.id ?? '');
  const offer = offers.find(({ id }) => id === skuId);
  const place = [group.attributes.area_name, country?.attributes.name].filter(Boolean).join(', ');
  return (
    <Page
      title={place}
      about={[kind?.attributes.name, group.attributes.features.map(showWords).join(', ')].filter(Boolean).join(' · ')}
    >
      {group.meta?.needs_registration && (
        <Alert color="yellow" variant="light" title="Needs paperwork">
          Numbers of this group take calls after an identity and an address have been approved for them.
        </Alert>
      )}
      {group.attributes.service_restrictions && (
        <Alert color="gray" variant="light" title="Good to know">
          {group.attributes.service_restrictions}
        </Alert>
      )}
      <Radio.Group label="Offer" value={skuId} onChange={setSkuId}>
        <Stack gap="xs" mt="xs">
          {offers.map(({ id, attributes }) => (
            <Radio
              key={id}
              value={id}
              label={`${showMoney(attributes.monthly_price)} a month, ${showMoney(attributes.setup_price)} once`}
              description={
                attributes.channels_included_count === 0
                  ? 'No channel included: calls need a capacity pool'
                  : `${attributes.channels_included_count} calls at a time included`
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {offer && <ByQuantity offer={offer} place={place} most={Math.min(1000, group.meta?.total_count ?? 1000)} />}
      {offer && group.meta?.available_dids_enabled && <OneByOne group={group} offer={offer} place={place} />}
    </Page>
  );
}

/** A number without a channel takes no calls, which is not what somebody expects who buys the first one. */
const takesCalls = ({ attributes }: Sku): boolean => attributes.channels_included_count > 0;

interface OfferProps {
  offer: Sku;
  place: string;
}

const lineOf = ({ offer, place }: OfferProps) => ({
  skuId: offer.id,
  place,
  setupPrice: offer.attributes.setup_price,
  monthlyPrice: offer.attributes.monthly_price,
});

function ByQuantity({ most, ...offer }: OfferProps & { most: number }) {
  const cart = useCart();
  const navigate = useNavigate();
  const [qty, setQty] = useState<number | string>(1);
  const isValid = typeof qty === 'number' && qty >= 1 && qty <= most;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="xs">
        Any numbers
      </Title>
      <Group align="flex-end">
        <NumberInput label="How many" w={120} min={1} max={most} allowDecimal={false} value={qty} onChange={setQty} />
        <Button
          disabled={!isValid}
          onClick={() => {
            cart.add({ ...lineOf(offer), qty: Number(qty) });
            navigate({ to: '/cart' });
          }}
        >
          Add to cart
        </Button>
      </Group>
    </Paper>
  );
}

function OneByOne({ group, ...offer }: OfferProps & { group: DidGroup }) {
  const cart = useCart();
  const [typed, setTyped] = useState('');
  const [digits] = useDebouncedValue(typed.replace(/\D/g, ''), 250);
  const found = useRead(
    pathWith('/v3/available_dids', {
      'filter[did_group.id]': group.id,
      'filter[number_contains]': digits.length >= 3 ? digits : '',
      'page[size]': 10,
    }),
  );
  const [wanted, setWanted] = useState('');
  const reserve = useWrite<'POST /v3/did_reservations'>((answer) => {
    cart.add({ ...lineOf(offer), qty: 1, held: { reservationId: answer.data.id, number: wanted } });
  });
  const hold = ({ id, attributes }: AvailableDid) => {
    setWanted(attributes.number);
    const relationships = { available_did: { data: { type: 'available_dids', id } } } as const;
    reserve.mutate({
      method: 'POST',
      path: pathWith('/v3/did_reservations'),
      body: { data: { type: 'did_reservations', relationships } },
    });
  };
  const errors = fieldErrors(reserve.error);
  // What is held is no longer in stock: it would vanish from the list at the moment it is chosen.
  const inCart = cart.lines.flatMap(({ place, held }) => (place === offer.place && held ? [held.number] : []));
  const inStock = (found.data?.data ?? []).filter(({ attributes }) => !inCart.includes(attributes.number));
  return (
    <Paper withBorder>
      <Stack p="md" gap="xs">
        <Title order={2} size="h5">
          A number you like
        </Title>
        <Text size="sm" c="dimmed">
          A number in the cart is held for you for some minutes.
        </Text>
        <FormError text={errors[''] ?? errors.available_did} />
        <TextInput
          label="Contains these digits"
          description="At least three"
          type="search"
          maw={260}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Stack>
      {found.error && <Failure error={found.error} />}
      {found.data?.data.length === 0 && <Empty title="No number contains these digits" />}
      {inCart.length + inStock.length > 0 && (
        <Table aria-label="Numbers in stock" verticalSpacing="xs">
          <Table.Tbody>
            {inCart.map((number) => (
              <NumberRow key={number} number={number} label="In cart" disabled />
            ))}
            {inStock.map((number) => (
              <NumberRow
                key={number.attributes.number}
                number={number.attributes.number}
                label="Add to cart"
                loading={reserve.isPending && wanted === number.attributes.number}
                onClick={() => hold(number)}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}

interface NumberRowProps extends Pick<ButtonProps, 'disabled' | 'loading'> {
  number: string;
  label: string;
  onClick?: () => void;
}

function NumberRow({ number, label, ...button }: NumberRowProps) {
  return (
    <Table.Tr>
      <Table.Td>{showNumber(number)}</Table.Td>
      <Table.Td ta="right">
        <Button size="xs" variant="default" aria-label={`${label}: ${showNumber(number)}`} {...button}>
          {label}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
