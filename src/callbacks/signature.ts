/**
 * Formats and signs callbacks (contract part 1, 1.10; part 2, 21): pure functions, tested with the contract's vectors.
 */
import { createHmac } from 'node:crypto';

export type PayloadValue = string | boolean | number | null;
export type Payload = Readonly<Record<string, PayloadValue>>;

/** Lower-case hex HMAC-SHA1 over the normalised URL and the members; several entries are concatenated. */
export function signCallback(secret: string, url: string, entries: readonly Payload[]): string {
  const message = normalisedUrl(url) + entries.map(joined).join('');
  return createHmac('sha1', secret).update(message).digest('hex');
}

/** Standard Webhooks, version 1: base64 HMAC-SHA256 over id, timestamp and body. */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** The `get` form: the payload appended to the URL's own query, before any fragment. */
export function withPayload(url: string, payload: Payload): string {
  const { origin, path, query, fragment } = parts(url);
  const appended = formBody(payload);
  return `${origin}${path}${query === '' || query === '?' ? '?' : `${query}&`}${appended}${fragment}`;
}

/** The `post` form: members sorted by name, form-encoded, null as the empty string. */
export function formBody(payload: Payload): string {
  return sorted(payload)
    .map(([name, value]) => `${formEncode(name)}=${formEncode(textOf(value))}`)
    .join('&');
}

/**
 * A callback URL as stored and sent: the default scheme is http, and there is always a path. Null if it is neither http
 * nor https.
 */
export function readCallbackUrl(text: string): string | null {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(withScheme);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || /\s/.test(text)) return null;
  const { origin, path, query, fragment } = parts(withScheme);
  return `${origin}${path}${query}${fragment}`;
}

/** Scheme, userinfo, host and an explicit port; path, query and fragment unchanged, including percent-encoding. */
function normalisedUrl(url: string): string {
  const { scheme, userinfo, host, port, path, query, fragment } = parts(url);
  const explicit = port === '' ? (scheme === 'https' ? '443' : '80') : port;
  return `${scheme}://${userinfo}${host}:${explicit}${path}${query}${fragment}`;
}

interface UrlParts {
  origin: string;
  scheme: string;
  userinfo: string;
  host: string;
  port: string;
  path: string;
  query: string;
  fragment: string;
}

const urlForm = /^(?:([a-z]+):\/\/)?([^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i;

function parts(url: string): UrlParts {
  const [, scheme = 'http', userinfo = '', host = '', port = '', path = '/', query = '', fragment = ''] =
    urlForm.exec(url) ?? [];
  const origin = `${scheme}://${userinfo}${host}${port === '' ? '' : `:${port}`}`;
  return { origin, scheme: scheme.toLowerCase(), userinfo, host, port, path, query, fragment };
}

function joined(payload: Payload): string {
  return sorted(payload)
    .map(([name, value]) => name + textOf(value))
    .join('');
}

function sorted(payload: Payload): [string, PayloadValue][] {
  return Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1));
}

function textOf(value: PayloadValue): string {
  return value === null ? '' : String(value);
}

const formEncode = (value: string) => new URLSearchParams([['', value]]).toString().slice(1);
