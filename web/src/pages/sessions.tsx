/** Where the account is signed in. */

import { Badge } from '@mantine/core';
import type { SessionRecord } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showTime } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';

/** The browser's own name, shortened to what a person recognises. */
function browserOf(agent: string): string {
  const [, name] = /(Firefox|Edg|OPR|Chrome|Safari|curl)\//.exec(agent) ?? [];
  const [, system] = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent) ?? [];
  return [name === 'Edg' ? 'Edge' : name, system && `on ${system}`].filter(Boolean).join(' ') || agent.slice(0, 60);
}

const columns: readonly ListColumn<SessionRecord>[] = [
  column('browser', 'Browser', ({ attributes }) => attributes.user_agent, {
    cell: ({ attributes }) => browserOf(attributes.user_agent),
  }),
  column('ip', 'Address', ({ attributes }) => attributes.ip, {
    secondary: true,
    cell: ({ attributes }) => attributes.ip,
  }),
  column('created', 'Signed in', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('used', 'Last used', ({ attributes }) => attributes.last_used_at, {
    sort: 'last_used_at',
    cell: ({ attributes }) => showTime(attributes.last_used_at),
  }),
  column('end', 'Actions', ({ attributes }) => (attributes.current ? 'this browser' : ''), {
    cell: (session) => <End session={session} />,
  }),
];

export function Sessions() {
  return (
    <Page title="Sessions" about="Browsers signed in to this account. End any you do not recognise.">
      <ResourceList
        name="sessions"
        path={pathWith('/panel/v1/sessions')}
        columns={columns}
        defaultSort="-last_used_at"
        search={{
          label: 'Part of the browser, such as Firefox',
          parameters: (text) => ({ 'filter[user_agent_contains]': text.toLowerCase() }),
        }}
        empty={<Empty title="No sessions" />}
      />
    </Page>
  );
}

function End({ session: { id, attributes } }: { session: SessionRecord }) {
  if (attributes.current) return <Badge variant="light">this browser</Badge>;
  return (
    <ConfirmButton
      label="Sign out"
      about={`Sign out ${browserOf(attributes.user_agent)}`}
      question="That browser has to sign in again."
      act={(send) => send('DELETE', pathWith('/panel/v1/sessions/{id}', { id }))}
    />
  );
}
