/**
 * Calls of all customers: those that are active now, ended ones in both directions with their costs, and refused ones.
 */

import { SegmentedControl } from '@mantine/core';
import type { Resource } from '../api/documents.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showMoney, showNumber, showSeconds } from '../parts/format.ts';
import type { ListFilter } from '../parts/list-filters.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { signatureOf } from '../parts/signature.ts';
import { CallResult, StateBadge } from '../parts/states.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between, choices } from './filters.ts';

type ActiveCall = RecordOf<'/operator/v1/calls'>;
/** What the records of both directions say. */
type Ended = (InboundCdr | OutboundCdr)['attributes'];
type InboundCdr = RecordOf<'/operator/v1/cdrs_in'>;
type OutboundCdr = RecordOf<'/operator/v1/cdrs_out'>;

const activeColumns: readonly ListColumn<ActiveCall>[] = [
  timeColumn('time', 'Since', ({ attributes }) => attributes.time_start, { sort: 'time_start', secondary: true }),
  accountColumn(),
  column('from', 'From', ({ attributes }) => showNumber(attributes.src_number)),
  column('to', 'To', ({ attributes }) => showNumber(attributes.dst_number)),
  column('direction', 'Direction', ({ attributes }) => attributes.direction, { secondary: true }),
  column('state', 'State', ({ attributes }) => attributes.state, {
    cell: ({ attributes }) => <StateBadge word={attributes.state} good={attributes.state === 'answered' || null} />,
  }),
  column('id', 'Call id', ({ attributes }) => attributes.call_id, { optional: true }),
];

/** The columns of both directions that come after who called whom. */
function endColumns<R extends Resource<Ended>>(): ListColumn<R>[] {
  return [
    column('trunk', 'Trunk', ({ attributes }) => attributes.trunk_name ?? '', { secondary: true }),
    column('carrier', 'Carrier', ({ attributes }) => attributes.carrier_name ?? '', { optional: true }),
    column('duration', 'Length', ({ attributes }) => String(attributes.duration), {
      secondary: true,
      cell: ({ attributes }) => showSeconds(attributes.duration),
    }),
    column('result', 'Result', ({ attributes }) => String(attributes.disconnect_code), {
      cell: ({ attributes }) => <CallResult call={attributes} />,
    }),
    column('reason', 'Reason', ({ attributes }) => attributes.disconnect_reason, { optional: true }),
    column('signed', 'Signed', ({ attributes }) => signatureOf(attributes) ?? '', { optional: true }),
    column('id', 'Call id', ({ attributes }) => attributes.call_id, { optional: true }),
  ];
}

const started = <R extends Resource<Ended>>(): ListColumn<R> =>
  timeColumn('time', 'Time', ({ attributes }) => attributes.time_start, { sort: 'time_start' });

const inboundColumns: readonly ListColumn<InboundCdr>[] = [
  started(),
  accountColumn(),
  column('from', 'From', ({ attributes }) => showNumber(attributes.src_number), { secondary: true }),
  column('to', 'To', ({ attributes }) => showNumber(attributes.did_number)),
  column('attempt', 'Attempt', ({ attributes }) => String(attributes.attempt), { optional: true }),
  ...endColumns<InboundCdr>(),
];

const money = (amount: string | null): string => (amount === null ? '–' : showMoney(amount));

const outboundColumns: readonly ListColumn<OutboundCdr>[] = [
  started(),
  accountColumn(),
  column('from', 'Presented', ({ attributes }) => showNumber(attributes.src_number), { optional: true }),
  column('to', 'To', ({ attributes }) => showNumber(attributes.dst_number)),
  column('country', 'Country', ({ attributes }) => attributes.country ?? '', { secondary: true }),
  column('price', 'Price', ({ attributes }) => money(attributes.price), { secondary: true }),
  column('cost', 'Cost', ({ attributes }) => money(attributes.carrier_cost), { optional: true }),
  column('margin', 'Margin', ({ attributes }) => money(attributes.margin), { secondary: true }),
  ...endColumns<OutboundCdr>(),
];

const result: ListFilter = {
  name: 'success',
  label: 'Result',
  options: [
    { value: 'true', label: 'Answered' },
    { value: 'false', label: 'Failed' },
  ],
};
const ofCarrier: ListFilter = { name: 'carrier.id', label: 'Carrier', options: [], fromLinks: true };

/** The whole number, or its beginning. */
const digitsOf = (name: string) => ({
  label: 'Called number begins with',
  parameters: (text: string): Record<string, string> => {
    const digits = text.replace(/\D/g, '');
    return digits.length < 2 ? {} : { [`filter[${name}]`]: `${digits}*` };
  },
});

const views = [
  { value: 'active', label: 'Active' },
  { value: 'in', label: 'Inbound' },
  { value: 'out', label: 'Outbound' },
];

export function Calls() {
  const [search, change] = useListSearch();
  const view = String(search.direction ?? 'active');
  const common = { fixed: { include: 'account' }, defaultSort: '-time_start' };
  return (
    <Page title="Calls" about="Calls of all customers: active ones, and the records of those that have ended.">
      <SegmentedControl
        aria-label="Which calls"
        w={{ base: '100%', xs: 340 }}
        value={view}
        onChange={(next) =>
          change({
            ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
            'account.id': search['account.id'],
            direction: next === 'active' ? undefined : next,
          })
        }
        data={views}
      />
      {view === 'active' && (
        <ResourceList
          {...common}
          key={view}
          name="active calls"
          path={pathWith('/operator/v1/calls')}
          columns={activeColumns}
          search={digitsOf('dst_number')}
          filters={[
            { name: 'state', label: 'State', options: choices(['routed', 'ringing', 'answered']) },
            accountFilter,
          ]}
          every={3_000}
          empty={<Empty title="No call is active now">This page shows calls as they come and go.</Empty>}
        />
      )}
      {view === 'in' && (
        <ResourceList
          {...common}
          key={view}
          name="inbound calls"
          path={pathWith('/operator/v1/cdrs_in')}
          columns={inboundColumns}
          search={digitsOf('did_number')}
          filters={[result, ...between('time_start'), accountFilter]}
          empty={
            <Empty title="No inbound calls yet">Each attempt to deliver a call is listed when it has ended.</Empty>
          }
        />
      )}
      {view === 'out' && (
        <ResourceList
          {...common}
          key={view}
          name="outbound calls"
          path={pathWith('/operator/v1/cdrs_out')}
          columns={outboundColumns}
          search={digitsOf('dst_number')}
          filters={[result, ...between('time_start'), accountFilter, ofCarrier]}
          empty={
            <Empty title="No outbound calls yet">Calls that customers make are listed when they have ended.</Empty>
          }
        />
      )}
    </Page>
  );
}
