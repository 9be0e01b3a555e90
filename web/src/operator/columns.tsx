/** Columns of the operator's lists, shorter to write. */
import type { ReactNode } from 'react';
import { type Many, type Resource, related } from '../api/documents.ts';
import { timeOrDash } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';

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
    cell: (record) => timeOrDash(time(record)),
    oneLine: true,
    ...options,
  });

type OfAccount = Resource & { relationships: { account: { data?: { type: 'accounts'; id: string } | null } } };

/** Whose it is, with a link to the customer. The list includes `account`. */
export const accountColumn = <R extends OfAccount>(): ListColumn<R> =>
  column<R>('account', 'Customer', (record, document) => nameOf(record, document) ?? '', {
    secondary: true,
    cell: (record, document) => {
      const { data: link } = record.relationships.account;
      if (!link) return '–';
      return (
        <RouteLink to="/operator/accounts/$id" params={{ id: link.id }}>
          {nameOf(record, document) ?? link.id.slice(0, 8)}
        </RouteLink>
      );
    },
  });

/** "12 of 40 (30 %)" */
export const share = (part: number, all: number): string =>
  all === 0 ? '–' : `${part} of ${all} (${Math.round((part / all) * 100)} %)`;

const nameOf = (record: OfAccount, document: Many<unknown>): string | undefined =>
  related(document, record, 'account')?.attributes.name;
