/** API usage: requests of each key in the last 31 days by path and outcome, errors grouped by their title. */

import { pathWith, type RecordOf } from '../api/routes.ts';
import { keySource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { showTime } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';

type Usage = RecordOf<'/panel/v1/api_usage'>;

const columns: readonly ListColumn<Usage>[] = [
  column('path', 'Request', ({ attributes }) => `${attributes.method} ${attributes.path}`, {
    sort: 'path',
    cell: ({ attributes }) => (
      <span style={{ overflowWrap: 'anywhere' }}>{`${attributes.method} ${attributes.path}`}</span>
    ),
  }),
  column('outcome', 'Outcome', ({ attributes }) => `${attributes.status} ${attributes.error}`.trim(), {
    sort: 'status',
    cell: ({ attributes }) => (
      <StateBadge word={`${attributes.status} ${attributes.error}`.trim()} good={attributes.status < 400} />
    ),
  }),
  column('requests', 'Requests', ({ attributes }) => String(attributes.requests), {
    sort: 'requests',
    cell: ({ attributes }) => attributes.requests.toLocaleString('en-GB'),
  }),
  column('key', 'Key', ({ attributes }) => attributes.key_name, { secondary: true }),
  column('last', 'Last', ({ attributes }) => attributes.last_at, {
    sort: 'last_at',
    secondary: true,
    cell: ({ attributes }) => showTime(attributes.last_at),
  }),
];

export function Usage() {
  return (
    <Page title="API usage" about="Requests of your keys to /v3 in the last 31 days, counted some seconds late.">
      <ResourceList
        name="api usage"
        path={pathWith('/panel/v1/api_usage')}
        columns={columns}
        defaultSort="-requests"
        search={{ label: 'Part of the path', parameters: (text) => ({ 'filter[path_contains]': text }) }}
        filters={[
          {
            name: 'api_key.id',
            label: 'Key',
            source: keySource,
          },
          {
            name: 'outcome',
            label: 'Outcome',
            options: [
              { value: 'success', label: 'Successes' },
              { value: 'error', label: 'Errors' },
            ],
          },
        ]}
        empty={
          <Empty title="No requests yet" action={<ButtonLink to="/keys">API keys</ButtonLink>}>
            Every page says how to ask for what it shows: choose “Show as request” at its foot.
          </Empty>
        }
      />
    </Page>
  );
}
