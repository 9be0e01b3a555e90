/** The audit log: what operators did, who signed in. */
import { Button, Code, Table, Text } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { showTime } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn, column, timeColumn } from './columns.tsx';
import type { AuditEntry } from './documents.ts';
import { accountFilter } from './filters.ts';

/** "role: support → finance; limits: …" */
function changes({ before, after }: AuditEntry['attributes']): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return names
    .map((name) => {
      const [was, is] = [before?.[name], after?.[name]];
      const word = was === undefined ? show(is) : is === undefined ? show(was) : `${show(was)} → ${show(is)}`;
      return `${name.replaceAll('_', ' ')}: ${word}`;
    })
    .join('; ');
}

const details = (entry: AuditEntry): string =>
  [changes(entry.attributes), entry.attributes.reason].filter(Boolean).join(' · ');

const columns: readonly ListColumn<AuditEntry>[] = [
  timeColumn('at', 'When', ({ attributes }) => attributes.at, { sort: 'at' }),
  column('actor', 'Who', ({ attributes }) => attributes.actor),
  column('action', 'What', ({ attributes }) => attributes.action, {
    cell: ({ attributes }) => <Code>{attributes.action}</Code>,
  }),
  accountColumn(),
  column('details', 'Changes', details, {
    secondary: true,
    cell: (entry) => (
      <Text size="sm" maw={420} style={{ overflowWrap: 'anywhere' }}>
        {details(entry)}
      </Text>
    ),
  }),
  column('source', 'From', ({ attributes }) => attributes.source ?? '', { optional: true }),
  column('subject', 'Subject', ({ attributes }) => `${attributes.subject_type} ${attributes.subject_id}`, {
    optional: true,
  }),
];

const actions = [
  'account.suspended',
  'account.resumed',
  'account.closed',
  'account.updated',
  'account.acted_as',
  'adjustment.created',
  'session.opened',
  'session.refused',
  'session.locked',
  'session.acting_began',
].map((value) => ({ value, label: value }));

export function Audit() {
  return (
    <Page
      title="Audit log"
      about="One entry for every act of an operator and every sign-in. Entries never change."
      actions={
        <Button component="a" href={addressOf('/operator/v1/audit_entries.csv')} variant="default" size="xs" download>
          Download all
        </Button>
      }
    >
      <ResourceList<AuditEntry>
        name="audit entries"
        path="/operator/v1/audit_entries"
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-at"
        search={{ label: 'Who, exactly', parameters: (text) => ({ 'filter[actor]': text }) }}
        filters={[{ name: 'action', label: 'What', options: actions }, accountFilter]}
        empty={<Empty title="Nothing has happened yet" />}
      />
    </Page>
  );
}

/** The last entries about one thing. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) {
    return (
      <Text c="dimmed" size="sm" p="md" pt={0}>
        Nothing yet.
      </Text>
    );
  }
  return (
    <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
      <Table aria-label="What operators did" verticalSpacing="xs">
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{showTime(entry.attributes.at)}</Table.Td>
              <Table.Td>{entry.attributes.actor}</Table.Td>
              <Table.Td>
                <Code>{entry.attributes.action}</Code>
              </Table.Td>
              <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
                {details(entry)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
