/** Catalogue files: handing one in, watching its progress, and the report of its invalid lines. */

import { Alert, Badge, Checkbox, FileInput, List, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import type { Send } from '../api/writer.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import { Details } from '../parts/details.tsx';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showTime, showWords, timeOrDash } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { choices, yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';

type Import = RecordOf<'/operator/v1/catalogue_imports'>;

const colors = { awaiting_content: 'gray', waiting: 'yellow', running: 'blue', done: 'teal', failed: 'red' } as const;
const isOver = ({ attributes }: Import): boolean => attributes.status === 'done' || attributes.status === 'failed';

const Status = ({ record }: { record: Import }) => (
  <Badge variant="light" color={colors[record.attributes.status]}>
    {showWords(record.attributes.status)}
  </Badge>
);

const columns: readonly ListColumn<Import>[] = [
  timeColumn('created', 'Handed in', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    secondary: true,
  }),
  column('name', 'File', ({ attributes }) => attributes.name, {
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/imports/$id" params={{ id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('kind', 'Kind', ({ attributes }) => (attributes.dry_run ? 'dry run' : 'import'), { secondary: true }),
  column('status', 'Status', ({ attributes }) => attributes.status, { cell: (record) => <Status record={record} /> }),
  column('numbers', 'Numbers', ({ attributes }) => attributes.numbers?.toLocaleString('en-GB') ?? '–', {
    isNumber: true,
    secondary: true,
  }),
  column('errors', 'Invalid lines', ({ attributes }) => String(attributes.error_count), {
    isNumber: true,
    secondary: true,
  }),
  column('actor', 'By', ({ attributes }) => attributes.actor, { optional: true }),
  column('reason', 'Reason', ({ attributes }) => attributes.reason ?? '', { optional: true }),
];

export function Imports() {
  const { data: session } = useSession();
  return (
    <Page
      title="Catalogue imports"
      about="Countries, groups, offers and numbers from a file. Either all of it is imported or nothing. A dry run checks everything first."
      actions={mayDo(session, 'run the stock') && <NewImport />}
    >
      <ResourceList
        name="imports"
        path={pathWith('/operator/v1/catalogue_imports')}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the file name', parameters: (text) => ({ 'filter[name_contains]': text }) }}
        filters={[
          { name: 'status', label: 'Status', options: choices(Object.keys(colors)) },
          { name: 'dry_run', label: 'Dry run', options: yesOrNo },
        ]}
        every={5_000}
        empty={
          <Empty title="Nothing has been imported yet">Begin with a dry run of your file; it changes nothing.</Empty>
        }
      />
    </Page>
  );
}

/** Hands a file in: first what it is, then its bytes. */
async function handIn(send: Send, file: File, isDryRun: boolean, reason: string): Promise<string> {
  const attributes = { name: file.name, dry_run: isDryRun, ...(reason === '' ? {} : { reason }) };
  const { data } = await send('POST', pathWith('/operator/v1/catalogue_imports'), {
    data: { type: 'catalogue_imports', attributes },
  });
  await send('PUT', pathWith('/operator/v1/catalogue_imports/{id}/content', { id: data.id }), file);
  return data.id;
}

function NewImport() {
  const navigate = useNavigate();
  const dialog = useDisclosure(false);
  const [file, setFile] = useState<File | null>(null);
  const [isDryRun, setDryRun] = useState(true);
  const [reason, setReason] = useState('');
  const hand = useAct(
    (send, given: File) => handIn(send, given, isDryRun, reason.trim()),
    (id) => navigate({ to: '/operator/imports/$id', params: { id } }),
  );
  const errors = fieldErrors(hand.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Import a file"
      title="Import a file"
      error={errors[''] ?? errors.name}
      submit={{
        label: isDryRun ? 'Check the file' : 'Import the file',
        isBusy: hand.isPending,
        isDisabled: file === null,
      }}
      onSubmit={() => {
        if (file !== null) hand.mutate(file);
      }}
    >
      <FileInput
        label="File"
        description="CSV, JSON or JSON Lines, as the catalogue's documentation describes"
        placeholder="Choose a file"
        accept=".csv,.json,.jsonl"
        value={file}
        onChange={setFile}
      />
      <Checkbox
        label="Dry run: check everything and store nothing"
        checked={isDryRun}
        onChange={({ currentTarget }) => setDryRun(currentTarget.checked)}
      />
      <ReasonInput value={reason} onChange={setReason} />
    </FormDialog>
  );
}

export function ImportPage() {
  const { id } = useParams({ from: '/operator/imports/$id' });
  return (
    <RecordPage
      noun="Import"
      id={id}
      path={pathWith('/operator/v1/catalogue_imports/{id}', { id })}
      list={{ to: '/operator/imports', label: 'All imports' }}
    >
      {({ data }) => <ImportDetails record={data} />}
    </RecordPage>
  );
}

function ImportDetails({ record }: { record: Import }) {
  const { id, attributes } = record;
  // While it runs it is read every second; the page of the record shows what was read last.
  useRead(isOver(record) ? null : pathWith('/operator/v1/catalogue_imports/{id}', { id }), 1_000);
  return (
    <Page
      title={attributes.name}
      about={`${attributes.dry_run ? 'A dry run: nothing is stored.' : 'An import: all of the file, or nothing.'} Handed in ${showTime(attributes.created_at)} by ${attributes.actor}.`}
      actions={<Status record={record} />}
    >
      {!isOver(record) && (
        <Progress
          value={attributes.progress}
          size="lg"
          striped
          animated
          aria-label={`${attributes.progress} percent done`}
        />
      )}
      {attributes.status === 'done' && (
        <Alert color="teal" variant="light" role="status" title={attributes.dry_run ? 'The file is sound' : 'Imported'}>
          <Text size="sm">
            {`${(attributes.numbers ?? 0).toLocaleString('en-GB')} numbers and ${(attributes.entries ?? 0).toLocaleString('en-GB')} other records ${attributes.dry_run ? 'would be imported. Hand the file in again without the dry run.' : 'are in the catalogue now.'}`}
          </Text>
        </Alert>
      )}
      {attributes.status === 'failed' && <Report record={record} />}
      <Details
        title="Details"
        rows={[
          ['Size', `${attributes.size.toLocaleString('en-GB')} bytes`],
          ['Finished', timeOrDash(attributes.finished_at)],
          ['Reason', attributes.reason],
        ]}
      />
    </Page>
  );
}

function Report({ record: { attributes } }: { record: Import }) {
  const { errors, error_count: count, problem } = attributes;
  return (
    <Alert color="red" variant="light" role="alert" title="Nothing was imported">
      <Stack gap="xs">
        {problem !== null && <Text size="sm">{problem}</Text>}
        {errors.length > 0 && (
          <>
            <Text size="sm">
              {count === 1 ? 'One line is invalid.' : `${count.toLocaleString('en-GB')} lines are invalid.`} Mend the
              file and hand it in again.
              {count > errors.length && ` The first ${errors.length}:`}
            </Text>
            <List size="sm" aria-label="Invalid lines">
              {errors.map((error) => (
                <List.Item key={error}>{error}</List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
    </Alert>
  );
}
