/** The filters of a list: choices and days, kept in the URL. */
import { Button, Group, Select, TextInput } from '@mantine/core';
import type { ListSearch } from './list-search.ts';
import { RecordSelect, type Source } from './picker.tsx';

export interface ListFilter {
  name: string;
  label: string;
  options?: readonly { value: string; label: string }[];
  /** Instead of options: records of which there may be any number. */
  source?: Source;
  /** Links of other pages set it; here it is only shown, and can be taken away. */
  fromLinks?: boolean;
  /** A day is chosen; its start or end, in this browser's time zone, is what the interface gets. */
  day?: 'start' | 'end';
}

interface FiltersProps {
  filters: readonly ListFilter[];
  state: ListSearch;
  change: (changes: ListSearch) => void;
}

const width = { base: 'calc(50% - 5px)', xs: 145 };

export function Filters({ filters, state, change }: FiltersProps) {
  const days = filters.filter(({ day }) => day !== undefined);
  const set = (name: string, value: string | undefined) => change({ [name]: value, page: undefined });
  return (
    <>
      {filters
        .filter(({ day, fromLinks }) => day === undefined && !fromLinks)
        .map(({ name, label, options = [], source }) => {
          const common = {
            ...{ label, placeholder: 'Any', clearable: true, w: width },
            value: state[name] === undefined ? null : String(state[name]),
            onChange: (value: string | null) => set(name, value ?? undefined),
          };
          return source === undefined ? (
            <Select key={name} {...common} searchable={options.length > 8} data={[...options]} />
          ) : (
            <RecordSelect key={name} {...common} source={source} />
          );
        })}
      {days.length > 0 && (
        // Side by side, also where a line is too short for all filters.
        <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
          {days.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              type="date"
              w={width}
              value={String(state[name] ?? '')}
              onChange={({ currentTarget }) => set(name, currentTarget.value)}
            />
          ))}
        </Group>
      )}
      {filters
        .filter(({ name, fromLinks }) => fromLinks && state[name] !== undefined)
        .map(({ name, label }) => (
          <Button key={name} variant="light" onClick={() => set(name, undefined)}>
            {`Of one ${label.toLowerCase()} ✕`}
          </Button>
        ))}
    </>
  );
}

/** The parameters for what is chosen in the filters. */
export function filterParameters(filters: readonly ListFilter[], state: ListSearch): Record<string, string> {
  return Object.fromEntries(
    filters.flatMap(({ name, day }) => {
      const value = state[name];
      if (value === undefined) return [];
      return [[`filter[${name}]`, day === undefined ? String(value) : timeOf(String(value), day)]];
    }),
  );
}

function timeOf(day: string, which: 'start' | 'end'): string {
  const time = new Date(`${day}T${which === 'start' ? '00:00:00.000' : '23:59:59.999'}`);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}
