/** The audit log: what operators did, who signed in. */

import { Button, Code, Table, Text } from '@mantine/core';
import { addressOf } from '../api/base.ts';
import { pathWith, withQuery } from '../api/routes.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { showTime } from '../parts/format.ts';
import { filterParameters, type ListFilter } from '../parts/list-filters.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountColumn } from './columns.tsx';
import type { AuditEntry } from './documents.ts';
import { accountFilter, between } from './filters.ts';
import { auditActionNames } from './words.ts';

/** "role: support → finance; limits: …" */
function changes({ before, after }: AuditEntry['attributes']): string {
  const [former, latter] = [flat(before), flat(after)];
  const isNothing = (word: string | undefined) => word === undefined || word === '' || word === 'none';
  return [...new Set([...former.keys(), ...latter.keys()])]
    .filter((name) => !isNothing(former.get(name)) || !isNothing(latter.get(name)))
    .map((name) => {
      const [was, is] = [former.get(name), latter.get(name)];
      const word = was === undefined ? is : is === undefined ? was : `${was} → ${is}`;
      return `${name.replaceAll('_', ' ')}: ${word}`;
    })
    .join('; ');
}

/** Members as words; those of an object in it by both names, such as "settings url". */
function flat(state: Readonly<Record<string, unknown>> | null, within = ''): Map<string, string> {
  const entries = Object.entries(state ?? {}).flatMap(([name, value]): [string, string][] => {
    const whole = `${within}${name}`;
    if (Array.isArray(value)) return [[whole, value.length === 0 ? 'none' : value.join(', ')]];
    if (typeof value === 'object' && value !== null) {
      return [...flat(Object.fromEntries(Object.entries(value)), `${whole} `)];
    }
    return [[whole, value === null ? 'none' : String(value)]];
  });
  return new Map(entries);
}

const details = (entry: AuditEntry): string =>
  [changes(entry.attributes), entry.attributes.reason].filter(Boolean).join(' · ');

const columns: readonly ListColumn<AuditEntry>[] = [
  timeColumn('at', 'When', ({ attributes }) => attributes.at, { sort: 'at' }),
  column('actor', 'Who', ({ attributes }) => attributes.actor, { secondary: true }),
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

const actions = auditActionNames.map((value) => ({ value, label: value }));

/** The parameters for who acted. */
const searchedBy = (actor: string | number | undefined): Record<string, string> =>
  actor === undefined ? {} : { 'filter[actor]': String(actor) };

const filters: readonly ListFilter[] = [
  { name: 'action', label: 'What', options: actions },
  ...between('at'),
  accountFilter,
];

export function Audit() {
  const [search] = useListSearch();
  return (
    <Page
      title="Audit log"
      about="One entry for every act of an operator and every sign-in. Entries never change."
      actions={
        <Button
          component="a"
          href={addressOf(
            withQuery('/operator/v1/audit_entries.csv', {
              ...searchedBy(search.q),
              ...filterParameters(filters, search),
            }),
          )}
          variant="default"
          download
        >
          Export what is found
        </Button>
      }
    >
      <ResourceList
        name="audit entries"
        path={pathWith('/operator/v1/audit_entries')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-at"
        search={{ label: 'Who, exactly', parameters: searchedBy }}
        filters={filters}
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
              <Table.Td visibleFrom="sm">{entry.attributes.actor}</Table.Td>
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
