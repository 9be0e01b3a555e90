/** Columns that several of the operator's lists have. */
import { type Many, type Resource, related } from '../api/documents.ts';
import { column } from '../parts/columns.tsx';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';

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
