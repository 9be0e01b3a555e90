/** The account's numbers. */

import { useState } from 'react';
import type { Did, Many } from '../api/documents.ts';
import { related } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { dateOrDash, showDate, showNumber } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { DidState, didState } from '../parts/states.tsx';
import { BulkActions } from './number-bulk.tsx';

/** Where calls to a number go, as a name; null if nowhere. */
function routeOf(did: Did, document: Many<Did>): string | null {
  const route = related(document, did, 'voice_in_trunk') ?? related(document, did, 'voice_in_trunk_group');
  return route?.attributes.name ?? null;
}

function placeOf(did: Did, document: Many<Did>): string {
  const group = related(document, did, 'did_group');
  const country = related(document, group, 'country');
  return [group?.attributes.area_name, country?.attributes.name].filter(Boolean).join(', ');
}

const columns: readonly ListColumn<Did>[] = [
  column('number', 'Number', ({ attributes }) => attributes.number, {
    sort: 'number',
    cell: ({ id, attributes }) => (
      <RouteLink to="/numbers/$id" params={{ id }}>
        {showNumber(attributes.number)}
      </RouteLink>
    ),
  }),
  column('description', 'Description', ({ attributes }) => attributes.description ?? '', {
    sort: 'description',
    secondary: true,
    cell: ({ attributes }) => attributes.description,
  }),
  column('place', 'Place', placeOf, { secondary: true, cell: placeOf }),
  column('route', 'Rings at', (did, document) => routeOf(did, document) ?? '', {
    secondary: true,
    cell: (did, document) => routeOf(did, document) ?? 'nowhere yet',
  }),
  column('state', 'State', (did) => didState(did).word, { cell: (did) => <DidState did={did} /> }),
  column('expires', 'Paid until', ({ attributes }) => attributes.expires_at ?? '', {
    sort: 'expires_at',
    secondary: true,
    cell: ({ attributes }) => dateOrDash(attributes.expires_at),
  }),
  column('channels', 'Channels included', ({ attributes }) => String(attributes.channels_included_count), {
    optional: true,
    cell: ({ attributes }) => attributes.channels_included_count,
  }),
  column('created', 'Bought', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    optional: true,
    cell: ({ attributes }) => showDate(attributes.created_at),
  }),
];

const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

export function Numbers() {
  const [ids, change] = useState<ReadonlySet<string>>(new Set());
  return (
    <Page
      title="Numbers"
      about="The numbers you own and where they ring."
      actions={<ButtonLink to="/buy">Buy numbers</ButtonLink>}
    >
      <BulkActions selection={{ ids, change }} />
      <ResourceList
        selection={{ ids, change }}
        name="numbers"
        path={pathWith('/v3/dids')}
        fixed={{ include: 'did_group.country,voice_in_trunk,voice_in_trunk_group' }}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Digits, or words of the description', type: 'dids' }}
        filters={[
          { name: 'awaiting_registration', label: 'Unregistered', options: yesOrNo },
          { name: 'blocked', label: 'Blocked', options: yesOrNo },
          { name: 'terminated', label: 'Ending', options: yesOrNo },
          { name: 'order.id', label: 'Order', fromLinks: true },
        ]}
        empty={
          <Empty title="You own no numbers yet" action={<ButtonLink to="/buy">Buy your first number</ButtonLink>}>
            Choose a country and a city; a number without paperwork is yours within seconds.
          </Empty>
        }
      />
    </Page>
  );
}
