/** Reading and writing with TanStack Query: what is read is known by its path, so that a page can be shown as requests. */
import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiProblem, type Method, request } from './request.ts';

export interface Session {
  kind: 'account' | 'operator';
  environment: 'production' | 'sandbox';
  now: string;
  /** The e-mail address that signed in. */
  login: string | null;
  /** What the person may do with the account. */
  role: 'owner' | 'billing' | 'developer' | 'read-only' | null;
  /** Null for an operator who does not act as a customer. */
  account: { id: string; name: string; email: string | null; read_only: boolean } | null;
  operator: { id: string; email: string; role: OperatorRole } | null;
}

export type OperatorRole = 'owner' | 'support' | 'finance' | 'reviewer' | 'read-only';

const sessionPath = '/panel/v1/session';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Refusals are final; only a busy or unreachable server is asked again.
      retry: (count, error) => !(error instanceof ApiProblem && error.status < 500) && count < 2,
    },
  },
});

queryClient.getQueryCache().subscribe(({ query, type }) => {
  if (type !== 'updated' || query.queryKey[0] === sessionPath) return;
  const { error } = query.state;
  // The session may have ended, or an operator who acts as nobody has just left a customer's page: the server says which.
  if (error instanceof ApiProblem && error.status === 401) queryClient.invalidateQueries({ queryKey: [sessionPath] });
});

/** Reads a path; null reads nothing yet. `every` repeats it after so many milliseconds. */
export function useRead<T>(path: string | null, every: number | false = false): UseQueryResult<T> {
  return useQuery<T>({
    queryKey: [path],
    queryFn: () => request<T>('GET', path ?? ''),
    enabled: path !== null,
    refetchInterval: every,
    placeholderData: keepPreviousData,
  });
}

/** Who is signed in; null for nobody. */
export function useSession(): UseQueryResult<Session | null> {
  return useQuery({
    queryKey: [sessionPath],
    queryFn: async () => {
      try {
        return await request<Session>('GET', sessionPath);
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

interface Write {
  method: Exclude<Method, 'GET'>;
  path: string;
  body?: unknown;
}

/** A write; afterwards everything on the page is read again. */
export function useWrite<T>(onDone?: (answer: T) => void): UseMutationResult<T, Error, Write> {
  const client = useQueryClient();
  return useMutation<T, Error, Write>({
    mutationFn: ({ method, path, body }) => request<T>(method, path, body),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await client.invalidateQueries();
    },
  });
}

/** Another person, or an operator who acts as another one: nothing that was read before is shown. */
export const signedIn = (session: Session): void => {
  queryClient.removeQueries({ predicate: ({ queryKey: [path] }) => path !== sessionPath });
  queryClient.setQueryData([sessionPath], session);
};

/** Forgets everything that was read for the person who has left. */
export function signedOut(): void {
  queryClient.setQueryData([sessionPath], null);
  queryClient.removeQueries({ predicate: ({ queryKey: [path] }) => path !== sessionPath });
}

/** The errors of a write by field; empty while there are none. */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  if (error === null) return {};
  return error instanceof ApiProblem ? error.byField : { '': error.message };
}

/** A path with the parameters that have a value. */
export function pathWith(
  path: string,
  parameters: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return query === '' ? path : `${path}?${query}`;
}
