/**
 * Rows that came in one response, as a list: search, sort, pages, columns and CSV, all of it in the URL and done here.
 */
import { Button, Group, Pagination, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import { saveCsv } from './csv.ts';
import { type ListColumn, Rows } from './list-rows.tsx';
import { useListSearch } from './list-search.ts';
import { ColumnMenu, SearchField, shownColumns } from './list-tools.tsx';
import { NothingFound } from './resource-list.tsx';

export interface ReportColumn<R> extends ListColumn<R> {
  /** What rows are sorted by, with `sort` as its name. */
  by?: (record: R) => number | string;
}

interface ReportTableProps<R> {
  name: string;
  rows: readonly R[];
  columns: readonly ReportColumn<R>[];
  defaultSort: string;
  /** What the search field finds rows by. */
  search: { label: string; text: (record: R) => string };
  empty: ReactNode;
}

const pageSize = 50;

export function ReportTable<R extends Resource>(props: ReportTableProps<R>) {
  const { name, rows, columns, defaultSort, search, empty } = props;
  const [state, change] = useListSearch();
  const typed = String(state.q ?? '').toLowerCase();
  const sort = String(state.sort ?? defaultSort);
  const page = Number(state.page ?? 1);
  const found = sorted(
    rows.filter((row) => search.text(row).toLowerCase().includes(typed)),
    columns,
    sort,
  );
  const shown = shownColumns(columns, state);
  const document: Many<R> = { data: found.slice((page - 1) * pageSize, page * pageSize) };
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end" justify="space-between">
        <SearchField
          label={search.label}
          value={String(state.q ?? '')}
          onChange={(q) => change({ q, page: undefined })}
        />
        <Group gap="xs">
          <ColumnMenu columns={columns} shown={shown} change={change} />
          <Button
            variant="default"
            disabled={found.length === 0}
            onClick={() =>
              saveCsv(
                name,
                columns.filter(({ id }) => shown.has(id)),
                { data: [...found] },
              )
            }
          >
            CSV
          </Button>
        </Group>
      </Group>
      <Paper withBorder>
        {rows.length === 0 && empty}
        {rows.length > 0 && found.length === 0 && <NothingFound clear={() => change({ q: undefined })} />}
        {found.length > 0 && (
          <Rows
            name={name}
            document={document}
            columns={columns}
            shown={shown}
            sort={sort}
            onSort={(key) => change({ sort: sort === key ? `-${key}` : key, page: undefined })}
          />
        )}
      </Paper>
      {found.length > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {found.length === 1 ? '1 row' : `${found.length.toLocaleString('en-GB')} rows`}
          </Text>
          {found.length > pageSize && (
            <Pagination
              size="sm"
              total={Math.ceil(found.length / pageSize)}
              value={page}
              onChange={(number) => change({ page: number === 1 ? undefined : number })}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
            />
          )}
        </Group>
      )}
    </Stack>
  );
}

function sorted<R>(rows: readonly R[], columns: readonly ReportColumn<R>[], sort: string): readonly R[] {
  const by = columns.find((column) => column.sort === sort.replace(/^-/, ''))?.by;
  if (by === undefined) return rows;
  const order = (one: R, other: R): number => {
    const [left, right] = [by(one), by(other)];
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return String(left).localeCompare(String(right));
  };
  const ascending = rows.toSorted(order);
  return sort.startsWith('-') ? ascending.toReversed() : ascending;
}
