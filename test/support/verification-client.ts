/** A client of `/api/v1` as the published ones are: real HTTP, three modes, signatures over the bytes it sends. */
import { createHash, createHmac } from 'node:crypto';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import type { VerificationObject } from '../../src/interfaces/verification/responses.ts';
import { responseCheck } from './response-check.ts';

/** Every response of `/api/v1` in every test is one that the OpenAPI document has. */
const check = responseCheck(openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1'));

interface Credentials {
  key: string;
  secret: string;
}

export type ClientMode = 'public' | 'basic' | 'application';

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body; an empty object when there was none. */
  body: { data?: VerificationObject; errors?: { code: string; detail: string }[] };
}

export class VerificationClient {
  readonly #base: string;
  readonly #credentials: Credentials;
  readonly #mode: ClientMode;
  readonly #signedPrefix: string;

  constructor(base: string, credentials: Credentials, mode: ClientMode = 'application', signedPrefix = '') {
    this.#base = base;
    this.#credentials = credentials;
    this.#mode = mode;
    this.#signedPrefix = signedPrefix;
  }

  start(data: Record<string, unknown>): Promise<Answer> {
    return this.send('POST', '/api/v1/verifications', { data });
  }

  report(id: string, code: unknown, method = 'sms', verb = 'PATCH'): Promise<Answer> {
    return this.send(verb, `/api/v1/verifications/${id}`, { data: { delivery_method: method, code } });
  }

  status(id: string): Promise<Answer> {
    return this.send('GET', `/api/v1/verifications/${id}`);
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return request(this.#base, method, path, text, this.headers(method, path, text));
  }

  headers(method: string, path: string, text?: string): Record<string, string> {
    const { key, secret } = this.#credentials;
    const content: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    if (this.#mode === 'public') return { ...content, authorization: `Application ${key}` };
    if (this.#mode === 'basic') {
      return { ...content, authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
    }
    const timestamp = String(Math.floor(Date.now() / 1000));
    const md5 = text === undefined || text.trim() === '' ? '' : createHash('md5').update(text).digest('base64');
    const signed = [
      method,
      md5,
      content['content-type'] ?? '',
      `x-timestamp:${timestamp}`,
      this.#signedPrefix + path.split('?')[0],
    ].join('\n');
    const signature = createHmac('sha256', Buffer.from(secret, 'base64url')).update(signed).digest('base64');
    return { ...content, authorization: `Application ${key}:${signature}`, 'x-timestamp': timestamp };
  }
}

export async function request(
  base: string,
  method: string,
  path: string,
  body?: string | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(base + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  if (path.startsWith('/api/v1')) check({ method, url: path, status: response.status, contentType, text });
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
