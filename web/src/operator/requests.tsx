/** The log of API requests of the last days, for the question of what a customer's program did. */

import { Badge, Code } from '@mantine/core';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import { accountFilter, between, choices } from './filters.ts';

type ApiRequest = RecordOf<'/operator/v1/api_requests'>;

const statusColor = (status: number): string => (status < 400 ? 'teal' : status < 500 ? 'yellow' : 'red');

const columns: readonly ListColumn<ApiRequest>[] = [
  timeColumn('at', 'When', ({ attributes }) => attributes.at, { sort: 'at', secondary: true }),
  column('request', 'Request', ({ attributes }) => `${attributes.method} ${attributes.path}`, {
    cell: ({ attributes }) => (
      <Code style={{ overflowWrap: 'anywhere' }}>
        {attributes.method} {attributes.path}
      </Code>
    ),
  }),
  column('status', 'Status', ({ attributes }) => String(attributes.status), {
    cell: ({ attributes }) => (
      <Badge variant="light" color={statusColor(attributes.status)}>
        {attributes.status}
      </Badge>
    ),
  }),
  column('duration', 'Took', ({ attributes }) => `${attributes.duration_ms} ms`, { secondary: true, isNumber: true }),
  accountColumn(),
  column('caller', 'With', ({ attributes }) => attributes.caller_kind?.replaceAll('_', ' ') ?? 'nothing', {
    secondary: true,
  }),
  column('address', 'From', ({ attributes }) => attributes.address, { optional: true }),
  column('route', 'Route', ({ attributes }) => attributes.route, { optional: true }),
  column('id', 'Request id', ({ attributes }) => attributes.request_id, { optional: true }),
  column('caller id', 'Caller id', ({ attributes }) => attributes.caller_id ?? '', { optional: true }),
];

const statuses = [
  { value: '2xx', label: 'Success (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
  { value: '401', label: '401 unauthorized' },
  { value: '403', label: '403 forbidden' },
  { value: '404', label: '404 not found' },
  { value: '422', label: '422 invalid' },
  { value: '429', label: '429 too many' },
];

export function Requests() {
  return (
    <Page
      title="Request log"
      about="Requests of the last days. Numbers and secrets in paths are masked; queries and bodies are not kept."
    >
      <ResourceList
        name="requests"
        path={pathWith('/operator/v1/api_requests')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-at"
        search={{ label: 'Request id, exactly', parameters: (text) => ({ 'filter[request_id]': text }) }}
        filters={[
          { name: 'status', label: 'Status', options: statuses },
          {
            name: 'method',
            label: 'Method',
            options: ['GET', 'POST', 'PATCH', 'DELETE'].map((value) => ({ value, label: value })),
          },
          {
            name: 'caller_kind',
            label: 'With',
            options: choices(['api_key', 'session', 'application', 'operator']),
          },
          ...between('at'),
          accountFilter,
        ]}
        empty={<Empty title="No requests yet">Requests to the interfaces appear here within seconds.</Empty>}
      />
    </Page>
  );
}
