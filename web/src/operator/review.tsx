/** The review queue: submissions of paperwork that wait for a decision, the oldest first. */

import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { ReviewStatus } from '../parts/states.tsx';
import { accountColumn } from './columns.tsx';
import type { Submission } from './documents.ts';
import { accountFilter, choices } from './filters.ts';
import { mayDo } from './permissions.ts';

const kinds = [
  { value: 'address_verifications', label: 'Registration' },
  { value: 'emergency_verifications', label: 'Emergency calling' },
];
const kindOf = ({ attributes }: Submission): string =>
  kinds.find(({ value }) => value === attributes.kind)?.label ?? showWords(attributes.kind);

const columns: readonly ListColumn<Submission>[] = [
  timeColumn('created', 'Submitted', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
  }),
  column('reference', 'Reference', ({ attributes }) => attributes.reference, {
    oneLine: true,
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/review/$id" params={{ id }}>
        {attributes.reference}
      </RouteLink>
    ),
  }),
  column('kind', 'For', kindOf, { secondary: true }),
  accountColumn(),
  column('identity', 'Who', ({ attributes }) => attributes.identity),
  column(
    'place',
    'Where',
    ({ attributes }) => [attributes.city, attributes.country].filter(Boolean).join(', ') || 'no address',
    { secondary: true },
  ),
  column('numbers', 'Numbers', ({ attributes }) => String(attributes.numbers), { isNumber: true, secondary: true }),
  column('status', 'Status', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => <ReviewStatus status={attributes.status} />,
  }),
  timeColumn('decided', 'Decided', ({ attributes }) => attributes.decided_at, { optional: true }),
];

/** Submissions that wait, the oldest first; live events read it again. */
export const pendingPath = pathWith('/operator/v1/submissions', {
  'filter[status]': 'pending',
  sort: 'created_at',
  'page[size]': 100,
});

export function ReviewQueue() {
  const { data: session } = useSession();
  const pending = useRead(pendingPath);
  const first = pending.data?.data[0];
  return (
    <Page
      title="Review queue"
      about="Paperwork that customers submitted. Approving releases their numbers, or starts emergency calling."
      actions={
        first !== undefined &&
        mayDo(session, 'review') && (
          <ButtonLink to="/operator/review/$id" params={{ id: first.id }}>
            {`Review the oldest of ${pending.data?.meta?.total_records ?? pending.data?.data.length}`}
          </ButtonLink>
        )
      }
    >
      <ResourceList
        name="submissions"
        path={pathWith('/operator/v1/submissions')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        search={{
          label: 'Reference: ABC-123456',
          parameters: (text) => ({ 'filter[reference]': text.toUpperCase() }),
        }}
        filters={[
          { name: 'status', label: 'Status', options: choices(['pending', 'approved', 'rejected']) },
          { name: 'kind', label: 'For', options: kinds },
          accountFilter,
        ]}
        empty={
          <Empty title="Nothing has been submitted yet">
            Customers submit paperwork for numbers that need it in some countries.
          </Empty>
        }
      />
    </Page>
  );
}
