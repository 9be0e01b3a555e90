/** What verifications and messages with codes cost, by delivery method and prefix: the list prices one by one. */

import { Group } from '@mantine/core';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import { showMoney } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { reasonField } from './carrier-fields.ts';
import { mayDo } from './permissions.ts';

type Rate = RecordOf<'/operator/v1/verification_rates'>;

const path = '/operator/v1/verification_rates';

const units = [
  { value: 'verification', label: 'A verified number' },
  { value: 'message', label: 'Each message or call' },
];
const methods = [
  { value: 'sms', label: 'SMS' },
  { value: 'callout', label: 'Calls' },
];
const labelOf = (options: readonly { value: string; label: string }[], value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

const amountField: Field = {
  name: 'amount',
  label: 'Price',
  about: 'Without VAT, with up to four decimals, such as 0.0450',
  required: true,
};
const newFields: readonly Field[] = [
  { name: 'delivery_method', label: 'Codes by', kind: 'select', required: true, options: methods },
  {
    name: 'prefix',
    label: 'Numbers that begin with',
    about:
      'Digits without +, such as 44 for the United Kingdom; empty for all others. The longest prefix that fits counts',
  },
  { name: 'per', label: 'Paid for', kind: 'select', required: true, options: units },
  amountField,
  reasonField,
];

const shownPrefix = ({ attributes: { prefix } }: Rate): string => (prefix === '' ? 'all others' : `+${prefix}`);

const columns: readonly ListColumn<Rate>[] = [
  column('prefix', 'Numbers', shownPrefix, { sort: 'prefix' }),
  column('method', 'Codes by', ({ attributes }) => labelOf(methods, attributes.delivery_method)),
  column('per', 'Paid for', ({ attributes }) => labelOf(units, attributes.per), { secondary: true }),
  column('amount', 'Price', ({ attributes }) => attributes.amount, {
    sort: 'amount',
    isNumber: true,
    cell: ({ attributes }) => showMoney(attributes.amount),
  }),
  column('actions', 'Actions', () => '', { cell: (rate) => <Actions rate={rate} /> }),
];

export function VerificationRates() {
  const { data: session } = useSession();
  return (
    <Page
      title="Verification prices"
      about="What customers pay for codes, without VAT. A verification that was started keeps the price of its time; customers' own adjustments come on top. The sandbox charges nothing."
      actions={
        <>
          <RouteLink to="/operator/prices">Price lists</RouteLink>
          {mayDo(session, 'move money') && <NewRate />}
        </>
      }
    >
      <ResourceList
        name="verification prices"
        path={pathWith(path)}
        columns={columns}
        defaultSort="prefix"
        search={{
          label: 'A whole prefix, such as 44',
          parameters: (text) => ({ 'filter[prefix]': text.replace(/\D/g, '') || '0' }),
        }}
        filters={[
          { name: 'delivery_method', label: 'Codes by', options: methods },
          { name: 'per', label: 'Paid for', options: units },
        ]}
        empty={<Empty title="Verifications are free">Add a price for all numbers, then for single countries.</Empty>}
      />
    </Page>
  );
}

const NewRate = () => (
  <RecordDialog
    label="Add a price"
    title="New price"
    about="Applies to verifications started from now on."
    type="verification_rates"
    route={path}
    id={null}
    fields={newFields}
    initial={{ delivery_method: 'sms', per: 'verification' }}
    write={(given) => ({ ...withoutEmpty(given), prefix: String(given.prefix ?? '').replace(/^\+/, '') })}
    submit="Add price"
  />
);

function Actions({ rate }: { rate: Rate }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'move money')) return '–';
  const what = `${shownPrefix(rate)} by ${labelOf(methods, rate.attributes.delivery_method)}`;
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the price for ${what}`}
        title={`Price for ${what}`}
        about={`${labelOf(units, rate.attributes.per)}, from now on.`}
        type="verification_rates"
        route={path}
        id={rate.id}
        fields={[amountField, reasonField]}
        initial={{ amount: rate.attributes.amount }}
        write={withoutEmpty}
        submit="Save price"
      />
      <ConfirmButton
        label="Remove"
        about={`Remove the price for ${what}`}
        question="The next shorter prefix decides then; without one, codes to these numbers are free."
        act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id: rate.id }))}
      />
    </Group>
  );
}
