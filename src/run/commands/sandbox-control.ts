/** Requests of commands to the control interface of a sandbox that runs, and to its `/v3`. */
import { OperatorError } from '../../base/operator-error.ts';

export const controlOptions = {
  url: { type: 'string', value: 'URL', summary: 'where the sandbox is (TRUNKLINE_URL, http://127.0.0.1:8081)' },
  key: { type: 'string', value: 'KEY', summary: 'an API key of the sandbox (TRUNKLINE_API_KEY)' },
} as const;

interface ControlValues {
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
  const { base, key } = addressOf(values);
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

/** Sends or receives a file: a snapshot. */
export async function transfer(
  values: ControlValues,
  path: string,
  { content: file, passphrase }: { content?: Buffer; passphrase: string | null },
): Promise<Buffer> {
  const { base, key } = addressOf(values);
  const response = await fetch(`${base}/sandbox/v1${path}`, {
    ...(file === undefined ? {} : { method: 'PUT', body: new Uint8Array(file) }),
    headers: {
      'api-key': key,
      ...(file === undefined ? {} : { 'content-type': 'application/gzip' }),
      ...(passphrase === null ? {} : { 'snapshot-passphrase': passphrase }),
    },
  }).catch(() => {
    throw new OperatorError(`No sandbox answers at ${base}.`);
  });
  const content = Buffer.from(await response.arrayBuffer());
  if (response.ok) return content;
  throw new OperatorError(`${base} refused: ${reasonOf(parsed(content.toString())) ?? response.status}`);
}

/** The body of a stream that the control interface keeps open. */
export async function openControlStream(
  values: ControlValues,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<AsyncIterable<Uint8Array>> {
  const { base, key } = addressOf(values);
  const response = await fetch(`${base}/sandbox/v1${path}`, { headers: { 'api-key': key, ...headers } }).catch(() => {
    throw new OperatorError(`No sandbox answers at ${base}.`);
  });
  if (response.ok && response.body !== null) return response.body;
  throw new OperatorError(`${base} refused: ${reasonOf(parsed(await response.text())) ?? response.status}`);
}

function addressOf(values: ControlValues): { base: string; key: string } {
  const base = (values.url ?? process.env.TRUNKLINE_URL ?? 'http://127.0.0.1:8081').replace(/\/$/, '');
  const key = values.key ?? process.env.TRUNKLINE_API_KEY;
  if (!key) throw new OperatorError('An API key is needed: --key, or the variable TRUNKLINE_API_KEY.');
  return { base, key };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError('The response is not that of a Trunkline sandbox.');
  }
}
