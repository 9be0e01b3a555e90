/** The page of one record: waits for it, and says what to do when it is not there. */
import type { ReactNode } from 'react';
import type { One, Resource } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { ApiProblem } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import type { Path } from '../api/routes.ts';
import { RouteLink } from './links.tsx';
import { Failure, Page, Waiting } from './page.tsx';

interface RecordPageProps<D> {
  /** What the record is, for the title of an error. */
  noun: string;
  id: string;
  path: Path<D>;
  list: { to: string; label: string };
  /** Without live events the record is read again after so many milliseconds. */
  every?: number;
  children: (document: D) => ReactNode;
}

export function RecordPage<D extends One<Resource>>(props: RecordPageProps<D>) {
  const { noun, id, path, list, every, children } = props;
  const read = useRead(path, useFallback(every));
  const isThere = read.data?.data.id === id;
  if (read.error && !(isThere && mayStay(read.error))) {
    return (
      <Page title={noun}>
        <Failure error={read.error} />
        <RouteLink to={list.to}>{list.label}</RouteLink>
      </Page>
    );
  }
  // While another record's document is still shown, this one is not there yet.
  if (read.data === undefined || !isThere) return <Waiting />;
  return (
    <>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {children(read.data)}
    </>
  );
}

/** What was read stays while the server restarts, or while somebody signs in again: there may be a form on the page. */
export const mayStay = (error: Error): boolean => !(error instanceof ApiProblem && [403, 404].includes(error.status));
