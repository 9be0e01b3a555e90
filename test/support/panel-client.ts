/**
 * A browser's part in tests of the panel: keeps the cookie, sends what the panel sends, and holds responses against the
 * document.
 */
import { panelDocument } from '../../src/interfaces/panel/openapi.ts';
import { Answer, jsonApiType } from './client.ts';
import { responseCheck } from './response-check.ts';
import { send } from './send.ts';

const check = responseCheck(panelDocument({ name: 'sandbox' }, 'http://127.0.0.1'));

export const login = { email: 'ops@acme.test', password: 'correct horse battery' };

type Headers = Readonly<Record<string, string>>;

export class PanelClient {
  readonly #url: string;
  readonly #address: string;
  cookie = '';

  /** `address` is where the client says it comes from, for servers that trust this machine as a proxy. */
  constructor(url: string, address = '127.0.0.1') {
    this.#url = url;
    this.#address = address;
  }

  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const response = await send(`${this.#url}${path}`, {
      method,
      headers: {
        'x-trunkline-panel': '1',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': this.#address,
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': isDocument(body) ? jsonApiType : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0] ?? '';
    const { text } = response;
    const contentType = response.headers.get('content-type');
    const url = decodeURI(path);
    if (url.startsWith('/panel/v1/')) check({ method, url, status: response.status, contentType, text });
    return new Answer(response);
  }

  get = (path: string, headers?: Headers) => this.send('GET', path, undefined, headers);
  post = (path: string, body: unknown, headers?: Headers) => this.send('POST', path, body, headers);
  patch = (path: string, body: unknown, headers?: Headers) => this.send('PATCH', path, body, headers);
  delete = (path: string, headers?: Headers) => this.send('DELETE', path, undefined, headers);
  signIn = (credentials: object = login, headers?: Headers) => this.post('/panel/v1/session', credentials, headers);
}

const isDocument = (body: unknown): boolean => typeof body === 'object' && body !== null && 'data' in body;
