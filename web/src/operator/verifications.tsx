/** Phone verifications of all customers. Codes are never shown. */

import { Badge } from '@mantine/core';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showMoney, showNumber } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between, choices } from './filters.ts';

type Verification = RecordOf<'/operator/v1/verifications'>;

const colors: Readonly<Record<string, string>> = {
  pending: 'yellow',
  verified: 'teal',
  failed: 'red',
  expired: 'gray',
  denied: 'gray',
};

const columns: readonly ListColumn<Verification>[] = [
  timeColumn('created', 'Started', ({ attributes }) => attributes.created_at, { sort: 'created_at', secondary: true }),
  column('destination', 'Phone', ({ attributes }) => showNumber(attributes.destination)),
  accountColumn(),
  column('application', 'Application', ({ attributes }) => attributes.application, { secondary: true }),
  column('method', 'By', ({ attributes }) => (attributes.delivery_method === 'sms' ? 'SMS' : 'call'), {
    secondary: true,
  }),
  column('provider', 'Provider', ({ attributes }) => attributes.provider ?? '', { optional: true }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => (
      <Badge variant="light" color={colors[attributes.status] ?? 'gray'}>
        {attributes.status}
      </Badge>
    ),
  }),
  column('error', 'Why', ({ attributes }) => attributes.error_code?.replaceAll('_', ' ') ?? '–', { secondary: true }),
  column('wrong', 'Wrong codes', ({ attributes }) => String(attributes.wrong_reports), { optional: true }),
  column('fee', 'Fee', ({ attributes }) => showMoney(attributes.fee), { optional: true }),
  timeColumn('dispatched', 'Sent', ({ attributes }) => attributes.dispatched_at, { optional: true }),
  column('doubt', 'In doubt', ({ attributes }) => (attributes.in_doubt ? 'yes' : ''), { optional: true }),
];

export function Verifications() {
  return (
    <Page title="Verifications" about="Every attempt to prove that a person has a phone. Codes are never shown.">
      <ResourceList
        name="verifications"
        path={pathWith('/operator/v1/verifications')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        search={{
          label: 'The whole phone number',
          parameters: (text): Record<string, string> => {
            const digits = text.replace(/\D/g, '');
            return digits.length < 4 ? {} : { 'filter[destination]': digits };
          },
        }}
        filters={[
          { name: 'status', label: 'Status', options: choices(['pending', 'verified', 'failed', 'expired', 'denied']) },
          {
            name: 'delivery_method',
            label: 'By',
            options: [
              { value: 'sms', label: 'SMS' },
              { value: 'callout', label: 'Call' },
            ],
          },
          ...between('created_at'),
          accountFilter,
        ]}
        empty={<Empty title="No verifications yet">They appear when a customer starts one.</Empty>}
      />
    </Page>
  );
}
