/** Requests to the server that this page came from, as the signed-in person. */
import { addressOf } from './base.ts';
import { ApiProblem, type Problem, Unreachable, type WriteMethod } from './problems.ts';
import type { Path } from './routes.ts';

const jsonApi = 'application/vnd.api+json';
/** The version of `/v3` that these pages are written for, whatever the account's own is. */
const apiVersion = '2026-04-16';

/** The routes of `/panel/v1` that are no JSON:API. */
const plain =
  /^\/panel\/v1\/(session|acting|login|search|routing|statistics|upcoming|notifications|statements|callback_replays|call_event_replays|test_callbacks|signature_checks|secret_reveals|phone_credentials|registration_checks)(\/|\?|$)/;

const isJsonApi = (path: string): boolean => /^\/(v3|operator\/v1|panel\/v1)\//.test(path) && !plain.test(path);

export async function get<Answer>(path: Path<Answer>): Promise<Answer> {
  return answerOf(await reach('GET', path, { headers: headersFor(path, apiVersion) }));
}

/** The document of another version of `/v3` than the one these pages are written for. */
export async function getOfVersion(path: string, version: string): Promise<unknown> {
  return answerOf(await reach('GET', path, { headers: headersFor(path, version) }));
}

/** Sends a write; pages use `useWrite` or `useAct`, which guard it. */
export async function transmit(method: WriteMethod, path: string, body: unknown, key: string): Promise<unknown> {
  const headers = { ...headersFor(path, apiVersion), ...(method === 'POST' ? { 'idempotency-key': key } : {}) };
  return answerOf(await reach(method, path, { headers: { ...headers, ...typeOf(path, body) }, ...content(body) }));
}

/** `fetch` with an error that says what happened. */
export async function reach(method: 'GET' | WriteMethod, path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(addressOf(path), { credentials: 'same-origin', ...options, method });
  } catch {
    throw new Unreachable(method, path, navigator.onLine);
  }
}

const headersFor = (path: string, version: string): Record<string, string> => ({
  accept: isJsonApi(path) ? jsonApi : 'application/json',
  'x-trunkline-panel': '1',
  'x-service-api-version': version,
});

/** Files are sent as they are, however large; a form names its own type. */
function typeOf(path: string, body: unknown): Record<string, string> {
  if (body === undefined || body instanceof FormData) return {};
  if (body instanceof Blob) return { 'content-type': 'application/octet-stream' };
  return { 'content-type': isJsonApi(path) ? jsonApi : 'application/json' };
}

function content(body: unknown): { body?: BodyInit } {
  if (body === undefined) return {};
  return { body: body instanceof FormData || body instanceof Blob ? body : JSON.stringify(body) };
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
