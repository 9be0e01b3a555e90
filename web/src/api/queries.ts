/** Reading with TanStack Query: what is read is known by its path, so that a page can be shown as requests. */
import { keepPreviousData, QueryClient, skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { setCurrency } from '../parts/format.ts';
import { sessionPath } from './base.ts';
import { sessionHasEnded, sessionIsSettled } from './ended-session.ts';
import { ApiProblem } from './problems.ts';
import { get } from './request.ts';
import { type Path, pathWith, type ReadOf } from './routes.ts';

export type Session = ReadOf<'/panel/v1/session'>;
export type OperatorRole = NonNullable<Session['operator']>['role'];

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A server on this machine is there without a network; where it is not, the page says so at once.
      networkMode: 'always',
      // Refusals are final; only a busy or unreachable server is asked again.
      retry: (count, error) => !(error instanceof ApiProblem && error.status < 500) && count < 2,
    },
  },
});

queryClient.getQueryCache().subscribe(({ query, type }) => {
  if (type !== 'updated' || query.queryKey[0] === sessionPath) return;
  const { error } = query.state;
  // The session may have ended, or an operator who acts as nobody has just left a customer's page: the server says
  // which.
  if (error instanceof ApiProblem && error.status === 401) queryClient.invalidateQueries({ queryKey: [sessionPath] });
});

/** Reads a path; null reads nothing yet. `every` repeats it after so many milliseconds. */
export function useRead<Answer>(path: Path<Answer> | null, every: number | false = false): UseQueryResult<Answer> {
  return useQuery<Answer>({
    queryKey: [path],
    queryFn: path === null ? skipToken : () => get(path),
    refetchInterval: every,
    placeholderData: keepPreviousData,
  });
}

/**
 * Who is signed in; null for nobody. A session that has ended under its page is still shown: the person signs in again.
 */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: [sessionPath], queryFn: readSession, staleTime: 60_000 });
}

async function readSession(): Promise<Session | null> {
  const before = queryClient.getQueryData<Session | null>([sessionPath]) ?? null;
  try {
    const session = await get(pathWith(sessionPath));
    setCurrency(session.currency);
    const isSame = before === null || whoIs(before) === whoIs(session);
    // Somebody else has signed in, in another tab.
    if (!isSame) forgetAll();
    sessionIsSettled(isSame);
    return session;
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 401)) throw error;
    if (before !== null) sessionHasEnded();
    return before;
  }
}

/** Another person, or the same one for another account, is somebody else. */
export const whoIs = ({ login, account }: Session): string => `${login} ${account?.id ?? ''}`;

/** Another person, or an operator who acts as another one: nothing that was read before is shown. */
export function signedIn(session: Session): void {
  setCurrency(session.currency);
  forgetAll();
  queryClient.setQueryData([sessionPath], session);
  sessionIsSettled(false);
}

/** The person whose session had ended: the page stays, and reads again what it was refused. */
export function signedInAgain(session: Session): void {
  const before = queryClient.getQueryData<Session | null>([sessionPath]) ?? null;
  if (before === null || whoIs(before) !== whoIs(session)) {
    signedIn(session);
    return;
  }
  queryClient.setQueryData([sessionPath], session);
  sessionIsSettled(true);
  void queryClient.invalidateQueries({ predicate: ({ queryKey: [path] }) => path !== sessionPath });
}

/** Forgets everything that was read for the person who has left. */
export function signedOut(): void {
  queryClient.setQueryData([sessionPath], null);
  forgetAll();
  sessionIsSettled(false);
}

const forgetAll = (): void => queryClient.removeQueries({ predicate: ({ queryKey: [path] }) => path !== sessionPath });
