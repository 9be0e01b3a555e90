/** Requests of commands to the control interface of a sandbox that runs, and to its `/v3`. */
import { OperatorError } from '../operator-error.ts';

export const controlOptions = {
  url: { type: 'string', value: 'URL', summary: 'where the sandbox is (TRUNKLINE_URL, http://127.0.0.1:8081)' },
  key: { type: 'string', value: 'KEY', summary: 'an API key of the sandbox (TRUNKLINE_API_KEY)' },
} as const;

export interface ControlValues {
  readonly url?: string;
  readonly key?: string;
}

export type SendControl = (method: string, path: string, body?: object) => Promise<unknown>;

const interfaces = {
  control: { prefix: '/sandbox/v1', type: 'application/json' },
  v3: { prefix: '/v3', type: 'application/vnd.api+json' },
} as const;

export function controlOf(values: ControlValues, name: keyof typeof interfaces = 'control'): SendControl {
  const { prefix, type } = interfaces[name];
  const base = (values.url ?? process.env.TRUNKLINE_URL ?? 'http://127.0.0.1:8081').replace(/\/$/, '');
  const key = values.key ?? process.env.TRUNKLINE_API_KEY;
  if (!key) throw new OperatorError('An API key is needed: --key, or the variable TRUNKLINE_API_KEY.');
  return async (method, path, body) => {
    const response = await fetch(`${base}${prefix}${path}`, {
      method,
      headers: { 'api-key': key, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new OperatorError(`No sandbox answers at ${base}.`);
    });
    const text = await response.text();
    const shown: unknown = text === '' ? null : parsed(text);
    if (response.ok) return shown;
    throw new OperatorError(`${base} refused: ${reasonOf(shown) ?? response.status}`);
  };
}

/** Of the control interface, or the first of a JSON:API document. */
function reasonOf(shown: unknown): string | null {
  const { error, errors } = Object(shown) as { error?: unknown; errors?: { detail?: unknown }[] };
  const reason = error ?? errors?.[0]?.detail;
  return typeof reason === 'string' ? reason : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError('The response is not that of a Trunkline sandbox.');
  }
}
