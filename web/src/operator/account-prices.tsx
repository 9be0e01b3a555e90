/** What a customer pays more or less than the list price, by product; and the customer's own rates. */

import { Button, Group, Paper, Table, Text, Title } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith, type RecordOf, withQuery } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import { showMoney, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { reasonField } from './carrier-fields.ts';
import { choices } from './filters.ts';
import { mayDo } from './permissions.ts';
import { productNames } from './words.ts';

type PriceAdjustment = RecordOf<'/operator/v1/price_adjustments'>;

const changeFields: readonly Field[] = [
  {
    name: 'percent',
    label: 'Percent',
    about: 'Such as -10 for a tenth less; of a call rate also its connection fee',
  },
  {
    name: 'fixed',
    label: 'Or an amount',
    about: 'Added to the price of one unit: a number, a channel, a minute, a look-up, a code; -0.50 for less',
  },
  reasonField,
];
const productField: Field = {
  name: 'product',
  label: 'What is sold',
  kind: 'select',
  required: true,
  options: choices(productNames),
};

const signed = (amount: string): string => (amount.startsWith('−') ? amount : `+${amount}`);

const adjustment = ({ attributes: { percent, fixed } }: PriceAdjustment): string =>
  percent === null
    ? `${signed(showMoney(fixed ?? '0'))} a unit`
    : `${signed(String(Number(percent)).replace('-', '−'))} %`;

export function AccountPrices({ id }: { id: string }) {
  const { data: session } = useSession();
  const read = useRead(
    pathWith('/operator/v1/price_adjustments', { 'filter[account.id]': id, sort: 'product', 'page[size]': 50 }),
  );
  const adjustments = read.data?.data ?? [];
  const mayChange = mayDo(session, 'move money');
  return (
    <Paper withBorder component="section" aria-label="Prices">
      <Group justify="space-between" p="md" pb="xs">
        <Title order={2} size="h5">
          Prices
        </Title>
        <Group gap="xs">
          <RouteLink to="/operator/prices" search={{ 'account.id': id }}>
            Own price lists
          </RouteLink>
          <Button
            component="a"
            size="xs"
            variant="default"
            href={addressOf(withQuery('/operator/v1/prices.csv', { kind: 'termination', account: id }))}
            download
          >
            Own call rates
          </Button>
          {mayChange && (
            <RecordDialog
              label="Adjust a price"
              look={{ size: 'xs', variant: 'default' }}
              title="Adjust a price"
              about="Takes effect at once for what the customer sees and is charged. No price falls below zero."
              type="price_adjustments"
              route="/operator/v1/price_adjustments"
              id={null}
              fields={[productField, ...changeFields]}
              initial={{}}
              relationships={{ account: { data: { type: 'accounts', id } } }}
              write={withoutEmpty}
              submit="Adjust"
            />
          )}
        </Group>
      </Group>
      {adjustments.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" pt={0}>
          List prices: nothing is adjusted for this customer.
        </Text>
      ) : (
        <Table aria-label="Prices" verticalSpacing="xs">
          <Table.Tbody>
            {adjustments.map((record) => (
              <Table.Tr key={record.id}>
                <Table.Td>{showWords(record.attributes.product)}</Table.Td>
                <Table.Td>{adjustment(record)}</Table.Td>
                <Table.Td visibleFrom="sm">{record.attributes.actor}</Table.Td>
                {mayChange && (
                  <Table.Td>
                    <Change record={record} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}

function Change({ record }: { record: PriceAdjustment }) {
  const { product, percent, fixed } = record.attributes;
  const name = showWords(product).toLowerCase();
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the price of ${name}`}
        title={`Adjust the price of ${name}`}
        type="price_adjustments"
        route="/operator/v1/price_adjustments"
        id={record.id}
        fields={changeFields}
        initial={{ percent, fixed }}
        write={withoutEmpty}
        submit="Save"
      />
      <ConfirmButton
        label="Remove"
        about={`Remove the adjustment of ${name}`}
        question="The customer pays the list price again, from now on."
        act={(send) => send('DELETE', pathWith('/operator/v1/price_adjustments/{id}', { id: record.id }))}
      />
    </Group>
  );
}
