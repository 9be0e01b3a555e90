/** What a request may fail with: a refusal of the server, or a server that cannot be reached. */
export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Problem {
  title: string;
  detail: string;
  source?: { pointer: string };
  status: string;
  meta?: Record<string, string>;
}

/** An answer that is not a success. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];
  /** Seconds after which it is worth trying again; null if the server did not say. */
  readonly retryAfter: number | null;

  constructor(status: number, problems: readonly Problem[], retryAfter: number | null) {
    super(problems.map(({ detail }) => detail).join(' ') || `The server answered ${status}.`);
    this.status = status;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }

  /** The errors by the last word of what they point to; those that point to no field are under ''. */
  get byField(): Readonly<Record<string, string>> {
    const fields: Record<string, string> = {};
    for (const { source, title, detail } of this.problems) {
      const [, name] = /^\/data\/(?:attributes|relationships)\/(?:.*\/)?([^/]+)$/.exec(source?.pointer ?? '') ?? [];
      if (name === undefined) fields[''] = [fields[''], detail].filter(Boolean).join(' ');
      else fields[name] = title.charAt(0).toUpperCase() + title.slice(1);
    }
    return fields;
  }
}

/** No answer: nothing is sent later by itself. */
export class Unreachable extends Error {
  constructor(method: 'GET' | WriteMethod, path: string, isOnline: boolean) {
    super(
      [
        isOnline ? 'The server cannot be reached.' : 'You are offline.',
        method === 'GET' || !isOnline
          ? 'Try again when the connection is back.'
          : isSafeToRepeat(method, path)
            ? 'Try again: it is not done twice.'
            : 'It is not known whether it was done; look before you try again.',
      ].join(' '),
    );
  }
}

/** Only `/v3` keeps idempotency keys; changing and deleting may be repeated anywhere. */
const isSafeToRepeat = (method: WriteMethod, path: string): boolean => method !== 'POST' || path.startsWith('/v3/');

/** One line for each problem that an error names; empty for no error. */
export function problemTexts(error: Error | null): readonly string[] {
  if (error === null) return [];
  return error instanceof ApiProblem ? error.problems.map(({ detail }) => detail) : [error.message];
}

/** The errors of a write by field; empty while there are none. */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  if (error === null) return {};
  return error instanceof ApiProblem ? error.byField : { '': error.message };
}
