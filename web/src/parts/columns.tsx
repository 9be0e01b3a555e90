/** Columns of lists, shorter to write. */
import type { ReactNode } from 'react';
import type { Many, Resource } from '../api/documents.ts';
import type { ListColumn } from './list-rows.tsx';
import { At } from './when.tsx';

type Options<R> = Partial<Pick<ListColumn<R>, 'sort' | 'secondary' | 'optional' | 'isNumber' | 'oneLine'>> & {
  /** If a cell is more than its text. */
  cell?: (record: R, document: Many<R>) => ReactNode;
};

export const column = <R,>(
  id: string,
  header: string,
  text: (record: R, document: Many<R>) => string,
  { cell, ...options }: Options<R> = {},
): ListColumn<R> => ({ id, header, text, cell: cell ?? text, ...options });

export const timeColumn = <R extends Resource<object>>(
  id: string,
  header: string,
  time: (record: R) => string | null,
  options: Options<R> = {},
): ListColumn<R> =>
  column<R>(id, header, (record) => time(record) ?? '', {
    cell: (record) => {
      const iso = time(record);
      return iso === null ? '–' : <At iso={iso} />;
    },
    oneLine: true,
    ...options,
  });
