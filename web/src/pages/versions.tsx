/**
 * The API version: which one answers requests that name none, and what another one would change, shown on real
 * responses.
 */

import { Alert, Button, Code, Group, Paper, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { useRead, useSession } from '../api/queries.ts';
import { getOfVersion } from '../api/request.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';

type Settings = RecordOf<'/panel/v1/account_settings/{id}'>;

/** Records of the account; the path is null in versions that have no such thing. */
const samples: readonly { label: string; path: (version: string) => string | null }[] = [
  { label: 'A number group', path: () => 'did_groups' },
  { label: 'An order', path: () => 'orders' },
  { label: 'A number', path: () => 'dids' },
  { label: 'A trunk', path: (version) => (version < '2021-12-15' ? 'trunks' : 'voice_in_trunks') },
  { label: 'A trunk group', path: (version) => (version < '2021-12-15' ? 'trunk_groups' : 'voice_in_trunk_groups') },
  { label: 'An outbound trunk', path: (version) => (version < '2021-12-15' ? null : 'voice_out_trunks') },
  { label: 'An export', path: (version) => (version < '2021-12-15' ? 'cdr_exports' : 'exports') },
  { label: 'An identity', path: (version) => (version < '2021-04-19' ? null : 'identities') },
  { label: 'A requirement', path: requirements },
  { label: 'A registration', path: (version) => (version < '2021-04-19' ? null : 'address_verifications') },
];

function requirements(version: string): string | null {
  if (version < '2021-04-19') return null;
  return version < '2026-04-16' ? 'requirements' : 'address_requirements';
}

export function Versions() {
  const { data: session } = useSession();
  const id = session?.account?.id ?? '';
  const read = useRead(id === '' ? null : pathWith('/panel/v1/account_settings/{id}', { id }));
  if (read.data === undefined) {
    return read.error ? <Failure error={read.error} retry={() => read.refetch()} /> : <Waiting />;
  }
  return <Chooser settings={read.data.data} />;
}

function Chooser({ settings: { id, attributes } }: { settings: Settings }) {
  const [version, setVersion] = useState(attributes.api_version);
  const fixed = attributes.api_version_fixed;
  const save = useWrite<'PATCH /panel/v1/account_settings/{id}'>();
  return (
    <Page
      title="API version"
      about="Requests that name a version in their header get that one; this is the version for all others."
    >
      <Paper withBorder p="md" maw={620}>
        <Stack>
          <Select
            label="Version"
            description={`Now: ${attributes.api_version}${fixed ? '' : ', until your first request with a key fixes it'}`}
            allowDeselect={false}
            data={attributes.api_versions}
            value={version}
            onChange={(value) => setVersion(attributes.api_versions.find((each) => each === value) ?? version)}
          />
          <FormError text={save.error?.message} />
          <Group justify="flex-end">
            <Button
              disabled={fixed && version === attributes.api_version}
              loading={save.isPending}
              onClick={() =>
                save.mutate({
                  method: 'PATCH',
                  path: pathWith('/panel/v1/account_settings/{id}', { id }),
                  body: { data: { id, type: 'account_settings', attributes: { api_version: version } } },
                })
              }
            >
              Use this version
            </Button>
          </Group>
        </Stack>
      </Paper>
      <Differences versions={attributes.api_versions} now={attributes.api_version} chosen={version} />
    </Page>
  );
}

interface DifferencesProps {
  versions: readonly string[];
  now: string;
  /** What is chosen above; the same as now as long as nothing is. */
  chosen: string;
}

/** What the account's own records would look like, before anything is changed. */
function Differences({ versions, now, chosen }: DifferencesProps) {
  const [label, setLabel] = useState(samples[0]?.label ?? '');
  const [compared, setCompared] = useState<string | null>(null);
  const neighbour = versions[versions.indexOf(now) - 1] ?? versions[versions.indexOf(now) + 1] ?? now;
  const other = chosen !== now ? chosen : (compared ?? neighbour);
  const sample = samples.find((each) => each.label === label);
  const [mine, theirs] = [useSample(sample?.path(now) ?? null, now), useSample(sample?.path(other) ?? null, other)];
  const changed = linesOf(mine.data, theirs.data);
  const isRead = mine.data !== undefined && theirs.data !== undefined;
  return (
    <Stack>
      <Title order={2} size="h4">
        What differs between {now} and {other}
      </Title>
      <Group align="end">
        <Select
          label="Record"
          maw={300}
          allowDeselect={false}
          data={samples.map((each) => each.label)}
          value={label}
          onChange={(value) => setLabel(value ?? label)}
        />
        {chosen === now && (
          <Select
            label="Compared with"
            maw={300}
            allowDeselect={false}
            data={versions.filter((each) => each !== now)}
            value={other}
            onChange={setCompared}
          />
        )}
      </Group>
      {isRead && changed.removed.length + changed.added.length === 0 && (
        <Alert color="gray" variant="light">
          Nothing differs in this record.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Lines title={`Only in ${now}`} lines={changed.removed} />
        <Lines title={`Only in ${other}`} lines={changed.added} />
      </SimpleGrid>
    </Stack>
  );
}

/** Null where the version has no such record. */
function useSample(path: string | null, version: string) {
  return useQuery({
    queryKey: [path, version],
    queryFn: () => (path === null ? null : getOfVersion(`/v3/${path}?page[size]=1`, version)),
    enabled: version !== '',
  });
}

/** The members of both documents that the other one has not, as paths with values. */
function linesOf(before: unknown, after: unknown): { removed: string[]; added: string[] } {
  if (before === undefined || after === undefined) return { removed: [], added: [] };
  const linesIn = (document: unknown) => new Set(document === null ? [] : members(document));
  const [old, now] = [linesIn(before), linesIn(after)];
  const isShown = (line: string) =>
    !line.startsWith('links') && !line.includes('.links.') && !line.startsWith('meta.api_version');
  return {
    removed: [...old].filter((line) => !now.has(line) && isShown(line)),
    added: [...now].filter((line) => !old.has(line) && isShown(line)),
  };
}

function members(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${path}: ${Array.isArray(value) ? '[]' : '{}'}`];
  return entries.flatMap(([name, member]) =>
    members(member, Array.isArray(value) ? `${path}[]` : path === '' ? name : `${path}.${name}`),
  );
}

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) => (
  <Paper withBorder p="md">
    <Text size="sm" fw={600} mb="xs">
      {title}
    </Text>
    <Code block tabIndex={0}>
      {lines.length === 0 ? '–' : lines.join('\n')}
    </Code>
  </Paper>
);
