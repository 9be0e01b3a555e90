/** Requests to the server that this page came from, as the signed-in person, and the errors it answers with. */
import { addressOf } from './base.ts';

interface Problem {
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

/** One line for each problem that an error names; empty for no error. */
export function problemTexts(error: Error | null): readonly string[] {
  if (error === null) return [];
  return error instanceof ApiProblem ? error.problems.map(({ detail }) => detail) : [error.message];
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const jsonApi = 'application/vnd.api+json';
/** The version of `/v3` that these pages are written for, whatever the account's own is. */
const apiVersion = '2026-04-16';

/** The routes of `/panel/v1` that are no JSON:API. */
const plain =
  /^\/panel\/v1\/(session|acting|login|search|routing|statistics|upcoming|notifications|statements|callback_replays|call_event_replays|test_callbacks|signature_checks)(\/|\?|$)/;

const isJsonApi = (path: string): boolean => /^\/(v3|operator\/v1|panel\/v1)\//.test(path) && !plain.test(path);

/** `version` is another version of `/v3` than the one these pages are written for. */
export async function request<T>(
  method: Method,
  path: string,
  body?: unknown,
  version: string = apiVersion,
): Promise<T> {
  const type = isJsonApi(path) ? jsonApi : 'application/json';
  const response = await fetch(addressOf(path), {
    method,
    credentials: 'same-origin',
    headers: {
      accept: type,
      'x-trunkline-panel': '1',
      'x-service-api-version': version,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf<T>(response);
}

/** Sends a file as it is, however large. */
export async function sendFile(path: string, file: Blob): Promise<void> {
  const headers = { 'x-trunkline-panel': '1', 'content-type': 'application/octet-stream' };
  await answerOf(await fetch(addressOf(path), { method: 'PUT', credentials: 'same-origin', headers, body: file }));
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  const answer = text === '' ? null : parse(text);
  if (response.ok) return answer as T;
  const wait = Number(response.headers.get('retry-after'));
  throw new ApiProblem(response.status, problemsOf(response.status, answer), wait > 0 ? wait : null);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function problemsOf(status: number, answer: unknown): readonly Problem[] {
  const { errors, error } = (answer ?? {}) as { errors?: Problem[]; error?: string };
  if (Array.isArray(errors)) return errors;
  const detail = error ?? `The server answered ${status}.`;
  return [{ title: detail, detail, status: String(status) }];
}
