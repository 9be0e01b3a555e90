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

const samples = [
  { value: '/v3/did_groups?page[size]=1', label: 'A number group' },
  { value: '/v3/orders?page[size]=1', label: 'An order' },
  { value: '/v3/voice_in_trunks?page[size]=1', label: 'A trunk' },
  { value: '/v3/voice_out_trunks?page[size]=1', label: 'An outbound trunk' },
  { value: '/v3/dids?page[size]=1', label: 'A number' },
  { value: '/v3/requirements?page[size]=1', label: 'A requirement' },
  { value: '/v3/address_verifications?page[size]=1', label: 'A registration' },
  { value: '/v3/exports?page[size]=1', label: 'An export' },
];

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
  const save = useWrite<'PATCH /panel/v1/account_settings/{id}'>();
  return (
    <Page
      title="API version"
      about="Requests with the header X-Trunkline-Api-Version choose themselves; this is the version for all others."
    >
      <Paper withBorder p="md" maw={620}>
        <Stack>
          <Select
            label="Version"
            description={`Now: ${attributes.api_version}`}
            allowDeselect={false}
            data={attributes.api_versions}
            value={version}
            onChange={(value) => setVersion(attributes.api_versions.find((each) => each === value) ?? version)}
          />
          <FormError text={save.error?.message} />
          <Group justify="flex-end">
            <Button
              disabled={version === attributes.api_version}
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
      <Differences versions={attributes.api_versions} />
    </Page>
  );
}

function Differences({ versions }: { versions: readonly string[] }) {
  const [sample, setSample] = useState(samples[0]?.value ?? '');
  const [older = '', newer = ''] = [versions.at(-2), versions.at(-1)];
  const [before, after] = [useSample(sample, older), useSample(sample, newer)];
  const changed = linesOf(before.data, after.data);
  return (
    <Stack>
      <Title order={2} size="h4">
        What differs between {older} and {newer}
      </Title>
      <Select
        label="Record"
        maw={300}
        allowDeselect={false}
        data={samples}
        value={sample}
        onChange={(value) => setSample(value ?? sample)}
      />
      {before.data !== undefined && after.data !== undefined && changed.removed.length + changed.added.length === 0 && (
        <Alert color="gray" variant="light">
          Nothing differs in this record.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Lines title={`Only in ${older}`} lines={changed.removed} />
        <Lines title={`Only in ${newer}`} lines={changed.added} />
      </SimpleGrid>
    </Stack>
  );
}

function useSample(path: string, version: string) {
  return useQuery({
    queryKey: [path, version],
    queryFn: () => getOfVersion(path, version),
    enabled: version !== '',
  });
}

/** The members of both documents that the other one has not, as paths with values. */
function linesOf(before: unknown, after: unknown): { removed: string[]; added: string[] } {
  if (before === undefined || after === undefined) return { removed: [], added: [] };
  const [old, now] = [new Set(members(before)), new Set(members(after))];
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
