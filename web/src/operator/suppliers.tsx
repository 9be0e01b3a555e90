/** Suppliers: adding them, reading what they offer, and what that costs beside the prices here. */

import { Group } from '@mantine/core';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { type Field, withoutEmpty } from '../parts/fields.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { reasonField } from './carrier-fields.ts';
import { choices } from './filters.ts';
import { mayDo } from './permissions.ts';

type Supplier = RecordOf<'/operator/v1/suppliers'>;
type Offer = RecordOf<'/operator/v1/supplier_offers'>;

const path = '/operator/v1/suppliers';

const newFields: readonly Field[] = [
  { name: 'name', label: 'Name', about: 'Used once', required: true },
  { name: 'url', label: 'Address', about: 'The base of its interface; it ends in /v3', required: true },
  { name: 'api_key', label: 'API key', about: 'Of your account there; stored encrypted, never shown', required: true },
  { name: 'countries', label: 'Countries', about: 'ISO codes, such as GB', kind: 'words', required: true },
  {
    name: 'markup_percent',
    label: 'Markup in percent',
    about: 'What is added to its prices where no rule says otherwise',
  },
  reasonField,
];

const good = { new: null, reading: null, previewed: true, failed: false } as const;

const columns: readonly ListColumn<Supplier>[] = [
  column('name', 'Supplier', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => <StateBadge word={attributes.state} good={good[attributes.state]} />,
  }),
  column('problem', 'Problem', ({ attributes }) => attributes.problem ?? ''),
  column('countries', 'Countries', ({ attributes }) => attributes.countries.join(', ')),
  column('groups', 'Groups', ({ attributes }) => String(attributes.groups)),
  column('spendable', 'Spendable there', ({ attributes }) => attributes.spendable ?? ''),
  timeColumn('read', 'Read', ({ attributes }) => attributes.read_at),
  column('url', 'Address', ({ attributes }) => attributes.url, { secondary: true }),
  column('failures', 'Failures in a row', ({ attributes }) => String(attributes.failures), { secondary: true }),
  column('failure', 'Last failure', ({ attributes }) => attributes.last_failure ?? '', { secondary: true }),
  column('actions', 'Actions', () => '', { cell: (supplier) => <Actions supplier={supplier} /> }),
];

export function Suppliers() {
  const { data: session } = useSession();
  return (
    <Page
      title="Suppliers"
      about="Platforms with the same interface as this one. What they offer is read every night; nothing of it is sold here yet."
      actions={mayDo(session, 'run the network') && <NewSupplier />}
    >
      <ResourceList
        name="suppliers"
        path={pathWith(path)}
        columns={columns}
        defaultSort="name"
        search={{ label: 'A part of the name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[{ name: 'state', label: 'State', options: choices(['new', 'reading', 'previewed', 'failed']) }]}
        empty={<Empty title="No suppliers yet">Add one to see what it offers and what that costs.</Empty>}
      />
    </Page>
  );
}

const NewSupplier = () => (
  <RecordDialog
    label="Add a supplier"
    title="Supplier"
    type="suppliers"
    route={path}
    id={null}
    fields={newFields}
    initial={{ markup_percent: '0' }}
    write={withoutEmpty}
    submit="Add supplier"
  />
);

function Actions({ supplier: { id, attributes } }: { supplier: Supplier }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'run the network')) return '–';
  const { name } = attributes;
  return (
    <Group gap={4}>
      <ConfirmButton
        label="Read now"
        about={`Read ${name} now`}
        question="What it offers is read anew. Nothing that is sold here changes."
        act={(send) =>
          send('PATCH', pathWith(`${path}/{id}`, { id }), {
            data: { type: 'suppliers', id, attributes: { preview: true } },
          })
        }
      />
      <ConfirmButton
        label="Remove"
        about={`Remove ${name}`}
        question="What was read of it and the log of requests to it are deleted."
        act={(send) => send('DELETE', pathWith(`${path}/{id}`, { id }))}
      />
    </Group>
  );
}

const changes = { new: null, changed: null, same: true, below_cost: false, withdrawn: false } as const;

const offerColumns: readonly ListColumn<Offer>[] = [
  column('country', 'Country', ({ attributes }) => attributes.country, { sort: 'country' }),
  column('type', 'Kind', ({ attributes }) => attributes.type),
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix),
  column('area', 'Area', ({ attributes }) => attributes.area_name),
  column('channels', 'Channels', ({ attributes }) => String(attributes.channels)),
  column('stock', 'In stock there', ({ attributes }) => String(attributes.stock)),
  column('setup_cost', 'Setup cost', ({ attributes }) => attributes.setup_cost),
  column('monthly_cost', 'Monthly cost', ({ attributes }) => attributes.monthly_cost, { sort: 'monthly_cost' }),
  column('setup_price', 'Setup by the rules', ({ attributes }) => attributes.setup_price),
  column('monthly_price', 'Month by the rules', ({ attributes }) => attributes.monthly_price),
  column('our_monthly_price', 'Month here today', ({ attributes }) => attributes.our_monthly_price ?? ''),
  column('change', 'Difference', ({ attributes }) => attributes.change, {
    cell: ({ attributes }) => <StateBadge word={attributes.change} good={changes[attributes.change]} />,
  }),
];

export function SupplierOffers() {
  return (
    <Page
      title="Offers of suppliers"
      about="Each offer as it was read last: what it costs there, the price that the rules make of it, and the price here today."
    >
      <ResourceList
        name="supplier-offers"
        path={pathWith('/operator/v1/supplier_offers')}
        columns={offerColumns}
        defaultSort="country"
        search={{ label: 'Area, city or prefix', parameters: (text) => ({ 'filter[search]': text }) }}
        filters={[{ name: 'change', label: 'Difference', options: choices(Object.keys(changes)) }]}
        empty={<Empty title="No offers yet">They appear when a supplier was read.</Empty>}
      />
    </Page>
  );
}
