/** The rows of a list: its columns, sorting by their titles, and which of them are shown. */
import { Table, UnstyledButton } from '@mantine/core';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import type { Many, Resource } from '../api/documents.ts';

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

const features = tableFeatures({ columnVisibilityFeature });

interface RowsProps<R> {
  name: string;
  document: Many<R>;
  columns: readonly ListColumn<R>[];
  shown: ReadonlySet<string>;
  sort: string;
  onSort: (key: string) => void;
}

export function Rows<R extends Resource<unknown>>({ name, document, columns, shown, sort, onSort }: RowsProps<R>) {
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
