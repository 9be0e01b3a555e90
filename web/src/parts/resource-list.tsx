/** A list of one type: search, filters, sort, pages, columns and CSV, all of it in the URL and asked of the server. */

import { Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { type Path, pathWith, withQuery } from '../api/routes.ts';
import { Filters, filterParameters, type ListFilter } from './list-filters.tsx';
import { type ListColumn, Rows, type Selection } from './list-rows.tsx';
import { useListSearch } from './list-search.ts';
import { ColumnMenu, CsvButton, Pages, SearchField, shownColumns } from './list-tools.tsx';
import { Failure, Waiting } from './page.tsx';

interface ResourceListProps<R> {
  /** The name of the CSV file, and of the list for screen readers. */
  name: string;
  path: Path<Many<R>>;
  /** Parameters of every request, such as `include`. */
  fixed?: Readonly<Record<string, string>>;
  columns: readonly ListColumn<R>[];
  filters?: readonly ListFilter[];
  /** The parameters for what was typed into the search field; without it there is none. */
  search?: ListSearchField;
  defaultSort?: string;
  empty: ReactNode;
  /** Without live events the list is read again after so many milliseconds. */
  every?: number;
  selection?: Selection;
}

/**
 * The parameters for what was typed. Where the interface finds whole values only, `type` lets the panel's search find
 * records of that type by a part of them.
 */
interface ListSearchField {
  label: string;
  parameters?: (text: string) => Readonly<Record<string, string>>;
  type?: string;
}

const sizes = ['25', '50', '100'];

/** An id that no record has: the search found nothing. */
const nothing = '00000000-0000-4000-8000-000000000000';

/** The parameters for the text in the search field; null while the panel's search runs. */
function useSearchParameters(search: ListSearchField | undefined, text: string): Record<string, string> | null {
  const type = text.length >= 2 ? search?.type : undefined;
  const found = useRead(type === undefined ? null : pathWith('/panel/v1/search', { q: text, type }));
  if (text === '' || search === undefined) return {};
  if (search.parameters) return search.parameters(text);
  if (type === undefined) return {};
  if (found.data === undefined || found.isPlaceholderData) return null;
  return { 'filter[id]': found.data.results.map(({ id }) => id).join(',') || nothing };
}

export function ResourceList<R extends Resource>(props: ResourceListProps<R>) {
  const { name, path, fixed = {}, columns, filters = [], search, defaultSort, empty, every, selection } = props;
  const [state, change] = useListSearch();
  const page = Number(state.page ?? 1);
  const size = sizes.includes(String(state.size)) ? Number(state.size) : 25;
  const sort = String(state.sort ?? defaultSort ?? '');
  const typed = String(state.q ?? '');
  const searched = useSearchParameters(search, typed);
  const chosen = filters.filter((filter) => state[filter.name] !== undefined);
  const pathOf = (number: number, count: number) =>
    withQuery(path, {
      ...fixed,
      ...filterParameters(filters, state),
      ...searched,
      sort,
      'page[number]': number,
      'page[size]': count,
    });
  const read = useRead(searched === null ? null : pathOf(page, size), useFallback(every));
  const shown = shownColumns(columns, state);
  const total = read.data?.meta?.total_records ?? read.data?.data.length ?? 0;
  const isNarrowed = typed !== '' || chosen.length > 0;

  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end" justify="space-between">
        <Group gap="xs" align="flex-end" flex="1 1 300px">
          {search && (
            <SearchField label={search.label} value={typed} onChange={(q) => change({ q, page: undefined })} />
          )}
          <Filters filters={filters} state={state} change={change} />
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
                clear={() =>
                  change(
                    Object.fromEntries(
                      ['q', 'page', ...filters.map((filter) => filter.name)].map((key) => [key, undefined]),
                    ),
                  )
                }
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
              {...(selection ? { selection } : {})}
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
              <Pages
                total={Math.ceil(total / size)}
                page={page}
                onPage={(number) => change({ page: number === 1 ? undefined : number })}
              />
            )}
          </Group>
        </Group>
      )}
    </Stack>
  );
}

export function NothingFound({ clear }: { clear: () => void }) {
  return (
    <Stack align="center" gap="xs" py={48}>
      <Text fw={600}>Nothing matches</Text>
      <Button variant="subtle" onClick={clear}>
        Clear search and filters
      </Button>
    </Stack>
  );
}
