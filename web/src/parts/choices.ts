/** Records as choices of a form's field. */
import type { Country, Did, Many, Named, Resource } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showNumber } from './format.ts';

type Choice = { value: string; label: string };

const choices = <R extends Resource<unknown>>(document: Many<R> | undefined, label: (record: R) => string): Choice[] =>
  (document?.data ?? []).map((record) => ({ value: record.id, label: label(record) }));

/** All records of a type that have a name. */
export function useNamed(path: string): Choice[] {
  const read = useRead<Many<Named>>(pathWith(path, { sort: 'name', 'page[size]': 100 }));
  return choices(read.data, ({ attributes }) => attributes.name);
}

export function useCountries(): Choice[] {
  const read = useRead<Many<Country>>(pathWith('/v3/countries', { sort: 'name' }));
  return choices(read.data, ({ attributes }) => attributes.name);
}

/** The newest hundred of the account's numbers that the filter finds. */
export function useNumbers(filter: Readonly<Record<string, string>> = {}): Choice[] {
  const read = useRead<Many<Did>>(pathWith('/v3/dids', { ...filter, sort: '-created_at', 'page[size]': 100 }));
  return choices(read.data, ({ attributes }) =>
    attributes.description
      ? `${showNumber(attributes.number)} · ${attributes.description}`
      : showNumber(attributes.number),
  );
}
