/**
 * Choosing records of which there may be any number: what is typed is found by the server, more come while one scrolls,
 * and what is chosen stays, found or not.
 */

import { MultiSelect, type MultiSelectProps, type OptionsFilter, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { get } from '../api/request.ts';
import { type AttributesOf, type ListRoute, type Path, pathWith, withQuery } from '../api/routes.ts';

type Parameters = Readonly<Record<string, string>>;
export type Choice = { value: string; label: string };

/** Where the records come from. */
export interface Source {
  path: Path<Many<Resource<never>>>;
  /** Parameters of every request: filters, includes. */
  fixed?: Parameters;
  sort?: string;
  // Each source knows the attributes of its own type.
  label: (attributes: never) => string;
  /** How what is typed is found: by parameters of the interface, or by the panel's search of a type. */
  find: { parameters: (text: string) => Parameters } | { type: string; country?: string };
  /** The value of a choice, where it is not the record's id. */
  value?: (attributes: never) => string;
  /** The parameter that finds records by their values. */
  by?: string;
}

type Described<R extends ListRoute> = Omit<Source, 'path' | 'label' | 'value'> & {
  label: (attributes: AttributesOf<R>) => string;
  value?: (attributes: AttributesOf<R>) => string;
};

/** The records of a route as choices; `attributes` are those of its own type. */
export function sourceOf<R extends ListRoute>(route: R, described: Described<R>): Source {
  const path: string = pathWith<ListRoute>(route);
  return { ...described, path: path as Source['path'] };
}

const pageSize = 50;
/** So many ids fit into an address. */
const idsAtOnce = 50;
const fewestLetters = 2;
/** An id that no record has: the search found nothing. */
const nothing = '00000000-0000-4000-8000-000000000000';

const many = (path: Source['path']) => ({
  queryKey: [path],
  queryFn: () => get(path),
  placeholderData: keepPreviousData,
});

/** Where a page of the records is read. A form that reads the first one itself shares it with its field. */
export const pageOf = ({ path, fixed = {}, sort }: Source, number = 1, narrowed: Parameters = {}): Source['path'] =>
  withQuery(path, { ...fixed, ...narrowed, sort, 'page[number]': number, 'page[size]': pageSize });

interface Picked {
  choices: Choice[];
  isReading: boolean;
  /** Whether this is the label of a choice that was offered. */
  hasLabel: (text: string) => boolean;
  search: (text: string) => void;
  more: () => void;
}

/** For fields that offer records of several sources; others are `RecordSelect` and `RecordMultiSelect`. */
export function useChoices(source: Source, chosen: readonly string[]): Picked {
  const { path, by = 'filter[id]' } = source;
  const [typed, setTyped] = useState('');
  const [pages, setPages] = useState(1);
  const [text] = useDebouncedValue(typed.trim(), 200);
  const known = useRef(new Map<string, Choice>());
  const isSearching = text.length >= fewestLetters;
  const { find } = source;
  const found = useRead(isSearching && 'type' in find ? pathWith('/panel/v1/search', { q: text, ...find }) : null);
  const narrowed: Parameters | null = !isSearching
    ? {}
    : 'parameters' in find
      ? find.parameters(text)
      : found.data === undefined || found.isPlaceholderData
        ? null
        : { 'filter[id]': found.data.results.map(({ id }) => id).join(',') || nothing };
  const wanted = (narrowed === null ? [] : Array.from({ length: pages }, (_, index) => index + 1)).map((number) =>
    pageOf(source, number, narrowed ?? {}),
  );
  const listed = useQueries({ queries: wanted.map(many) });
  const total = listed[0]?.data?.meta?.total_records ?? 0;
  const offered = listed.flatMap(({ data }) => data?.data ?? []).map((record) => choiceOf(source, record));
  for (const choice of offered) known.current.set(choice.value, choice);
  // What is chosen and was never offered here: asked for once, whatever is typed.
  const unseen = useMemo(() => chosen.filter((value) => !known.current.has(value)), [chosen]);
  const chunks = Array.from({ length: Math.ceil(unseen.length / idsAtOnce) }, (_, index) =>
    unseen.slice(index * idsAtOnce, (index + 1) * idsAtOnce),
  );
  const others = useQueries({
    queries: chunks.map((ids) => many(withQuery(path, { [by]: ids.join(','), 'page[size]': idsAtOnce }))),
  });
  for (const record of others.flatMap(({ data }) => data?.data ?? [])) {
    const choice = choiceOf(source, record);
    known.current.set(choice.value, choice);
  }
  const kept = chosen.map((value) => known.current.get(value) ?? { value, label: '…' });
  const isReading = narrowed === null || listed.some(({ isFetching }) => isFetching);
  return {
    choices: [...new Map([...offered, ...kept].map((choice) => [choice.value, choice])).values()],
    isReading,
    hasLabel: (label) => [...known.current.values()].some((choice) => choice.label === label),
    search: (value) => {
      setTyped(value);
      setPages(1);
    },
    more: () => {
      if (!isReading && pages * pageSize < total) setPages(pages + 1);
    },
  };
}

const choiceOf = ({ label, value }: Source, { id, attributes }: Resource<never>): Choice => ({
  value: value === undefined ? id : value(attributes),
  label: label(attributes),
});

/** The value of the first record of a page. */
export const firstOf = (source: Source, { data: [first] }: Many<Resource<never>>): string | undefined =>
  first && choiceOf(source, first).value;

/** The server has chosen what fits. */
const everything: OptionsFilter = ({ options }) => options;

/** How a field with these choices searches, shows more, and says that nothing fits. */
export const looks = (...picked: Picked[]) => ({
  searchable: true,
  filter: everything,
  nothingFoundMessage: picked.some(({ isReading }) => isReading) ? 'Searching …' : 'Nothing matches',
  maxDropdownHeight: 260,
  onSearchChange: (text: string) => {
    // Choosing writes the label of the choice into the field, which is no search.
    const wanted = picked.some(({ hasLabel }) => hasLabel(text)) ? '' : text;
    for (const { search } of picked) search(wanted);
  },
  scrollAreaProps: {
    onBottomReached: () => {
      for (const { more } of picked) more();
    },
  },
});

type PickerProps<P> = Omit<P, 'data' | 'searchable' | 'filter' | 'onSearchChange'> & { source: Source };

export function RecordSelect({ source, value = null, ...props }: PickerProps<SelectProps> & { value?: string | null }) {
  const picked = useChoices(
    source,
    useMemo(() => (value === null ? [] : [value]), [value]),
  );
  return <Select {...looks(picked)} {...props} data={picked.choices} value={value} />;
}

export function RecordMultiSelect({
  source,
  value = [],
  ...props
}: PickerProps<MultiSelectProps> & { value?: string[] }) {
  const picked = useChoices(source, value);
  return <MultiSelect {...looks(picked)} {...props} data={picked.choices} value={value} />;
}
