/** What stands above and below a list: the search field, the choice of columns, CSV, and the pages. */
import { Button, Menu, Pagination, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import type { Path } from '../api/routes.ts';
import { downloadCsv } from './csv.ts';
import type { ListColumn } from './list-rows.tsx';
import type { ListSearch } from './list-search.ts';

export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, 250);
  // Cleared from elsewhere, such as by the button below an empty list.
  useEffect(() => {
    if (value === '') setText('');
  }, [value]);
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={label}
      w={{ base: '100%', xs: 240 }}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        tell(currentTarget.value.trim());
      }}
    />
  );
}

/** The columns that the URL names, or all that need not be chosen. */
export function shownColumns<R>(columns: readonly ListColumn<R>[], state: ListSearch): ReadonlySet<string> {
  if (state.columns !== undefined) return new Set(String(state.columns).split('.'));
  return new Set(columns.filter(({ optional }) => !optional).map(({ id }) => id));
}

interface ColumnMenuProps<R> {
  columns: readonly ListColumn<R>[];
  shown: ReadonlySet<string>;
  change: (changes: ListSearch) => void;
}

export function ColumnMenu<R>({ columns, shown, change }: ColumnMenuProps<R>) {
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
  pathOf: (page: number, size: number) => Path<Many<R>>;
  disabled: boolean;
}

export function CsvButton<R extends Resource>({ name, columns, pathOf, disabled }: CsvButtonProps<R>) {
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

export function Pages({ total, page, onPage }: { total: number; page: number; onPage: (page: number) => void }) {
  return (
    <Pagination
      size="sm"
      total={total}
      value={page}
      onChange={onPage}
      getControlProps={(control) => ({ 'aria-label': `${control} page` })}
      getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      siblings={1}
    />
  );
}
