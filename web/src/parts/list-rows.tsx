/** The rows of a list: its columns, sorting by their titles, and which of them are shown. */
import { Checkbox, Table, UnstyledButton } from '@mantine/core';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Many, Resource } from '../api/documents.ts';

export interface ListColumn<R> {
  id: string;
  header: string;
  /** What CSV has. */
  text: (record: R, document: Many<R>) => string;
  /** What the page shows, if it is more than the text. */
  cell?: (record: R, document: Many<R>) => ReactNode;
  /** The server's sort key. */
  sort?: string;
  /** Aligned to the right, so that digits stand below each other. */
  isNumber?: boolean;
  /** Not broken into lines, except on small screens: times and references. */
  oneLine?: boolean;
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
  selection?: Selection;
}

/** Records that somebody has ticked, by id. */
export interface Selection {
  ids: ReadonlySet<string>;
  change: (ids: ReadonlySet<string>) => void;
}

export function Rows<R extends Resource>(props: RowsProps<R>) {
  const { name, document, columns, shown, sort, onSort, selection } = props;
  const helper = useMemo(() => createColumnHelper<typeof features, R>(), []);
  const definitions = useMemo(
    () =>
      helper.columns(
        columns.map((column) =>
          helper.display({ id: column.id, cell: ({ row }) => <Cell column={column} record={row.original} /> }),
        ),
      ),
    [columns, helper],
  );
  const columnVisibility = Object.fromEntries(columns.map(({ id }) => [id, shown.has(id)]));
  const table = useTable({ features, columns: definitions, data: document.data, state: { columnVisibility } });
  const looks = new Map(
    columns.map(({ id, secondary, isNumber, oneLine }) => [
      id,
      {
        ...(secondary ? ({ visibleFrom: 'sm' } as const) : {}),
        ...(isNumber ? ({ ta: 'right' } as const) : {}),
        ...(oneLine || isNumber ? { className: 'one-line' } : {}),
      },
    ]),
  );
  return (
    <ShownDocument value={document}>
      <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
        <Table aria-label={name} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {selection && <SelectAll selection={selection} ids={document.data.map(({ id }) => id)} />}
              {columns
                .filter(({ id }) => shown.has(id))
                .map((column) => (
                  <Table.Th key={column.id} {...looks.get(column.id)} aria-sort={sorted(sort, column.sort)}>
                    <ColumnTitle column={column} sort={sort} onSort={onSort} />
                  </Table.Th>
                ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.getRowModel().rows.map((row) => (
              <Table.Tr key={row.original.id}>
                {selection && <SelectOne selection={selection} id={row.original.id} />}
                {row.getVisibleCells().map((cell) => (
                  <Table.Td key={cell.id} {...looks.get(cell.column.id)}>
                    <table.FlexRender cell={cell} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </ShownDocument>
  );
}

/**
 * The document reaches cells by a context: definitions of columns that had it in them would be new ones after each
 * reading, and a dialog that is open in a cell would be gone.
 */
const ShownDocument = createContext<Many<unknown>>({ data: [] });

function Cell<R>({ column, record }: { column: ListColumn<R>; record: R }): ReactNode {
  const document = useContext(ShownDocument) as Many<R>;
  return (column.cell ?? column.text)(record, document);
}

function SelectAll({ selection: { ids, change }, ids: all }: { selection: Selection; ids: readonly string[] }) {
  const chosen = all.filter((id) => ids.has(id)).length;
  return (
    <Table.Th w={36}>
      <Checkbox
        size="xs"
        aria-label="Select all on this page"
        checked={chosen > 0 && chosen === all.length}
        indeterminate={chosen > 0 && chosen < all.length}
        onChange={({ currentTarget }) => change(new Set(currentTarget.checked ? all : []))}
      />
    </Table.Th>
  );
}

function SelectOne({ selection: { ids, change }, id }: { selection: Selection; id: string }) {
  const toggled = () => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    return next;
  };
  return (
    <Table.Td>
      <Checkbox size="xs" aria-label="Select this record" checked={ids.has(id)} onChange={() => change(toggled())} />
    </Table.Td>
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
    <UnstyledButton fw={550} fz="sm" c="inherit" onClick={() => onSort(key)}>
      {column.header}
      {order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}
    </UnstyledButton>
  );
}
