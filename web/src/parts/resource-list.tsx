/** A list of one type: search, filters, sort, pages, columns and CSV, all of it in the URL and asked of the server. */
import {
  Button,
  Group,
  Menu,
  Pagination,
  Paper,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo, useState } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { downloadCsv } from './csv.ts';
import { type ListSearch, useListSearch } from './list-search.ts';
import { Failure, Waiting } from './page.tsx';

export interface ListColumn<R> {
  id: string;
  header: string;
  cell: (record: R, document: Many<R>) => ReactNode;
  /** What CSV has, if the cell is more than a text. */
  text: (record: R, document: Many<R>) => string;
  /** The server's sort key. */
  sort?: string;
  /** Left out on small screens. */
  secondary?: boolean;
  /** Only shown when somebody chooses it. */
  optional?: boolean;
}

export interface ListFilter {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

interface ResourceListProps<R> {
  /** The name of the CSV file, and of the list for screen readers. */
  name: string;
  path: string;
  /** Parameters of every request, such as `include`. */
  fixed?: Readonly<Record<string, string>>;
  columns: readonly ListColumn<R>[];
  filters?: readonly ListFilter[];
  /** The parameters for what was typed into the search field; without it there is none. */
  search?: { label: string; parameters: (text: string) => Readonly<Record<string, string>> };
  defaultSort?: string;
  empty: ReactNode;
}

const features = tableFeatures({ columnVisibilityFeature });
const sizes = ['25', '50', '100'];

export function ResourceList<R extends Resource<unknown>>(props: ResourceListProps<R>) {
  const { name, path, fixed = {}, columns, filters = [], search, defaultSort, empty } = props;
  const [state, change] = useListSearch();
  const page = Number(state.page ?? 1);
  const size = sizes.includes(String(state.size)) ? Number(state.size) : 25;
  const sort = String(state.sort ?? defaultSort ?? '');
  const typed = String(state.q ?? '');
  const chosen = filters.filter((filter) => state[filter.name] !== undefined);
  const pathOf = (number: number, count: number) =>
    pathWith(path, {
      ...fixed,
      ...Object.fromEntries(chosen.map((filter) => [`filter[${filter.name}]`, state[filter.name]])),
      ...(typed !== '' && search ? search.parameters(typed) : {}),
      sort,
      'page[number]': number,
      'page[size]': count,
    });
  const read = useRead<Many<R>>(pathOf(page, size));
  const shown = shownColumns(columns, state);
  const total = read.data?.meta?.total_records ?? read.data?.data.length ?? 0;
  const isNarrowed = typed !== '' || chosen.length > 0;

  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end" justify="space-between">
        <Group gap="xs" align="flex-end">
          {search && (
            <SearchField label={search.label} value={typed} onChange={(q) => change({ q, page: undefined })} />
          )}
          {filters.map((filter) => (
            <Select
              key={filter.name}
              label={filter.label}
              placeholder="Any"
              clearable
              w={{ base: '100%', xs: 180 }}
              data={[...filter.options]}
              value={state[filter.name] === undefined ? null : String(state[filter.name])}
              onChange={(value) => change({ [filter.name]: value ?? undefined, page: undefined })}
            />
          ))}
        </Group>
        <Group gap="xs">
          <ColumnMenu columns={columns} shown={shown} change={change} />
          <CsvButton
            name={name}
            columns={columns.filter(({ id }) => shown.has(id))}
            pathOf={pathOf}
            disabled={total === 0}
          />
        </Group>
      </Group>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && (
        <Paper withBorder>
          {read.data.data.length === 0 ? (
            isNarrowed || page > 1 ? (
              <NothingFound
                clear={() => change(Object.fromEntries(Object.keys(state).map((key) => [key, undefined])))}
              />
            ) : (
              empty
            )
          ) : (
            <Rows
              name={name}
              document={read.data}
              columns={columns}
              shown={shown}
              sort={sort}
              onSort={(key) => change({ sort: sort === key ? `-${key}` : key, page: undefined })}
            />
          )}
        </Paper>
      )}
      {total > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {total === 1 ? '1 record' : `${total.toLocaleString('en-GB')} records`}
          </Text>
          <Group gap="xs">
            <Select
              aria-label="Records on a page"
              w={90}
              size="xs"
              data={sizes}
              value={String(size)}
              allowDeselect={false}
              onChange={(value) => change({ size: value ?? undefined, page: undefined })}
            />
            {total > size && (
              <Pagination
                size="sm"
                total={Math.ceil(total / size)}
                value={page}
                onChange={(number) => change({ page: number === 1 ? undefined : number })}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
                getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
                siblings={1}
              />
            )}
          </Group>
        </Group>
      )}
    </Stack>
  );
}

function shownColumns<R>(columns: readonly ListColumn<R>[], state: ListSearch): ReadonlySet<string> {
  if (state.columns !== undefined) return new Set(String(state.columns).split('.'));
  return new Set(columns.filter(({ optional }) => !optional).map(({ id }) => id));
}

interface RowsProps<R> {
  name: string;
  document: Many<R>;
  columns: readonly ListColumn<R>[];
  shown: ReadonlySet<string>;
  sort: string;
  onSort: (key: string) => void;
}

function Rows<R extends Resource<unknown>>({ name, document, columns, shown, sort, onSort }: RowsProps<R>) {
  const helper = useMemo(() => createColumnHelper<typeof features, R>(), []);
  const definitions = useMemo(
    () =>
      helper.columns(
        columns.map((column) =>
          helper.display({ id: column.id, cell: ({ row }) => column.cell(row.original, document) }),
        ),
      ),
    [columns, document, helper],
  );
  const columnVisibility = Object.fromEntries(columns.map(({ id }) => [id, shown.has(id)]));
  const table = useTable({ features, columns: definitions, data: document.data, state: { columnVisibility } });
  const from = (id: string) =>
    columns.find((column) => column.id === id)?.secondary ? ({ visibleFrom: 'sm' } as const) : {};
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table aria-label={name} verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns
              .filter(({ id }) => shown.has(id))
              .map((column) => (
                <Table.Th key={column.id} {...from(column.id)} aria-sort={sorted(sort, column.sort)}>
                  <ColumnTitle column={column} sort={sort} onSort={onSort} />
                </Table.Th>
              ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.original.id}>
              {row.getVisibleCells().map((cell) => (
                <Table.Td key={cell.id} {...from(cell.column.id)}>
                  <table.FlexRender cell={cell} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function sorted(sort: string, key: string | undefined): 'ascending' | 'descending' | undefined {
  if (key === undefined) return undefined;
  return sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined;
}

interface ColumnTitleProps<R> {
  column: ListColumn<R>;
  sort: string;
  onSort: (key: string) => void;
}

function ColumnTitle<R>({ column, sort, onSort }: ColumnTitleProps<R>) {
  const key = column.sort;
  if (key === undefined) return column.header;
  const order = sorted(sort, key);
  return (
    <UnstyledButton fw={700} fz="sm" onClick={() => onSort(key)}>
      {column.header}
      {order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}
    </UnstyledButton>
  );
}

function SearchField({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, 250);
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={label}
      w={{ base: '100%', xs: 260 }}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        tell(currentTarget.value.trim());
      }}
    />
  );
}

interface ColumnMenuProps<R> {
  columns: readonly ListColumn<R>[];
  shown: ReadonlySet<string>;
  change: (changes: ListSearch) => void;
}

function ColumnMenu<R>({ columns, shown, change }: ColumnMenuProps<R>) {
  const toggle = (id: string) => {
    const next = columns.filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id)));
    if (next.length > 0) change({ columns: next.map((column) => column.id).join('.') });
  };
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button variant="default">Columns</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, header }) => (
          <Menu.CheckboxItem key={id} checked={shown.has(id)} onChange={() => toggle(id)}>
            {header}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface CsvButtonProps<R> {
  name: string;
  columns: readonly ListColumn<R>[];
  pathOf: (page: number, size: number) => string;
  disabled: boolean;
}

function CsvButton<R extends Resource<unknown>>({ name, columns, pathOf, disabled }: CsvButtonProps<R>) {
  const [progress, setProgress] = useState<string | null>(null);
  const download = async () => {
    setProgress('0 …');
    try {
      await downloadCsv(name, columns, pathOf, (count) => setProgress(`${count} …`));
      setProgress(null);
    } catch {
      setProgress('failed, try again');
    }
  };
  return (
    <Button variant="default" onClick={download} disabled={disabled || /…$/.test(progress ?? '')}>
      {progress === null ? 'CSV' : `CSV: ${progress}`}
    </Button>
  );
}

function NothingFound({ clear }: { clear: () => void }) {
  return (
    <Stack align="center" gap="xs" py={48}>
      <Text fw={600}>Nothing matches</Text>
      <Button variant="subtle" onClick={clear}>
        Clear search and filters
      </Button>
    </Stack>
  );
}
