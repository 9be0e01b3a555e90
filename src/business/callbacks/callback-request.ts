/**
 * Builds the signed HTTP request of a callback: the payload in the form the customer has chosen, and both signatures
 * (contract part 1, 1.10; part 2, 21).
 */

import { createHmac } from 'node:crypto';
import type { DeliveryMethod } from '../../engines/db/tables/deliveries.ts';
import type { Environment } from '../../engines/environment.ts';
import { wireUrl } from '../../engines/outbound/outbound-address.ts';
import { unsealCallbackSecret } from '../accounts/account-columns.ts';
import type { Secret } from '../accounts/secret.ts';
import { seal, unseal } from '../accounts/secret.ts';

export interface Outgoing {
  id: string;
  url: string;
  method: DeliveryMethod;
  payload: Payload | Payload[];
}

export interface CallbackRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

export function callbackRequest(delivery: Outgoing, secret: string, headerWord: string, at: Date): CallbackRequest {
  const entries = Array.isArray(delivery.payload) ? delivery.payload : [delivery.payload];
  const form = unsignedRequest(delivery, entries);
  const timestamp = Math.floor(at.getTime() / 1000);
  return {
    ...form,
    headers: {
      'user-agent': 'Trunkline',
      accept: '*/*',
      ...form.headers,
      [`x-${headerWord.toLowerCase()}-signature`]: signCallback(secret, form.url, entries),
      'webhook-id': delivery.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secret, delivery.id, timestamp, form.body ?? ''),
    },
  };
}

function unsignedRequest(delivery: Outgoing, entries: readonly Payload[]): CallbackRequest {
  const { method } = delivery;
  // The signature covers the URL as the receiver sees it, so non-ASCII characters are encoded first.
  const url = wireUrl(delivery.url) ?? delivery.url;
  const [payload = {}] = entries;
  switch (method) {
    case 'get':
      return { url: withPayload(url, payload), method: 'GET', headers: {} };
    case 'post':
      return { url, method: 'POST', headers: content('application/x-www-form-urlencoded'), body: formBody(payload) };
    case 'json':
      return { url, method: 'POST', headers: content('application/json'), body: JSON.stringify(entries) };
  }
}

const content = (type: string) => ({ 'content-type': type });

type PayloadValue = string | boolean | number | null;
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

export const signingKeyPurpose = 'callback signing key';

/** Encrypts the API key for storage with the resource: API keys are stored as hashes, which cannot sign. */
export function sealSigningKey(env: Environment, key: Secret | null): string | null {
  return key && seal(env.serverKey, signingKeyPurpose, key.reveal());
}

interface SigningMaterial {
  sealed_callback_secret: string | null;
  sealed_signing_key: string | null;
}

/** The account's callback secret, or else the API key that created the resource. */
export function signingSecret(env: Environment, material: SigningMaterial): string | null {
  if (material.sealed_callback_secret !== null) {
    return unsealCallbackSecret(env.serverKey, material.sealed_callback_secret);
  }
  return material.sealed_signing_key === null
    ? null
    : unseal(env.serverKey, signingKeyPurpose, material.sealed_signing_key);
}
