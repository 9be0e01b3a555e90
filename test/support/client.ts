/** The HTTP client of all tests that talk to `/v3`. Every response is held against the OpenAPI document. */

import type { ErrorObject } from '../../src/engines/jsonapi/errors.ts';
import type { RelationshipObject, ResourceObject } from '../../src/engines/jsonapi/linkage.ts';
import type { OpenApiDocument } from '../../src/engines/openapi/types.ts';
import { type CheckAnswer, responseCheck } from './response-check.ts';
import { type Received, send } from './send.ts';

export const jsonApiType = 'application/vnd.api+json';

interface ClientOptions {
  /** Of the server: `http://127.0.0.1:4321`. */
  url: string;
  /** Where the interface is mounted. */
  prefix?: string;
  /** Null: requests carry no key. */
  key: string | null;
  document: OpenApiDocument;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
}

interface RequestOptions {
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is, whatever it is. */
  rawBody?: string;
}

export class ApiClient {
  readonly #options: ClientOptions;
  readonly #check: CheckAnswer;

  constructor(options: ClientOptions, check: CheckAnswer = responseCheck(options.document)) {
    this.#options = options;
    this.#check = check;
  }

  /** The same client with another key, or with other headers. */
  with(changes: Partial<Pick<ClientOptions, 'key' | 'headers'>>): ApiClient {
    return new ApiClient({ ...this.#options, ...changes }, this.#check);
  }

  get baseUrl(): string {
    return `${this.#options.url}${this.#options.prefix ?? '/v3'}`;
  }

  get = (path: string, options?: RequestOptions): Promise<Answer> => this.request('GET', path, undefined, options);
  head = (path: string, options?: RequestOptions): Promise<Answer> => this.request('HEAD', path, undefined, options);
  options = (path: string, options?: RequestOptions): Promise<Answer> =>
    this.request('OPTIONS', path, undefined, options);
  delete = (path: string, options?: RequestOptions): Promise<Answer> =>
    this.request('DELETE', path, undefined, options);
  post = (path: string, body: unknown, options?: RequestOptions): Promise<Answer> =>
    this.request('POST', path, body, options);
  patch = (path: string, body: unknown, options?: RequestOptions): Promise<Answer> =>
    this.request('PATCH', path, body, options);
  put = (path: string, body: unknown, options?: RequestOptions): Promise<Answer> =>
    this.request('PUT', path, body, options);

  /** `path` is below the interface's base, or a whole URL such as a link of a response. */
  async request(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const url = path.startsWith('http') ? path : `${this.baseUrl}${path}`;
    const payload = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await send(url, {
      method,
      headers: {
        accept: jsonApiType,
        ...(this.#options.key === null ? {} : { 'api-key': this.#options.key }),
        ...(payload === undefined ? {} : { 'content-type': jsonApiType }),
        ...this.#options.headers,
        ...options.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const { text } = response;
    const contentType = response.headers.get('content-type');
    this.#check({ method, url: url.slice(this.#options.url.length), status: response.status, contentType, text });
    return new Answer(response);
  }
}

/** A response, with its document already read. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor({ status, headers, text }: Received) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** The document as it is. */
  get body(): Record<string, unknown> {
    return JSON.parse(this.text);
  }

  /** The primary data of a single document. */
  get resource(): TestResource {
    const { data } = this.#document();
    if (!data || Array.isArray(data)) throw new Error(`expected one resource, got ${this.text.slice(0, 2000)}`);
    return data;
  }

  /** The primary data of a collection. */
  get resources(): TestResource[] {
    const { data } = this.#document();
    if (!Array.isArray(data)) throw new Error(`expected a collection, got ${this.text.slice(0, 2000)}`);
    return data;
  }

  get included(): TestResource[] {
    return this.#document().included ?? [];
  }

  get meta(): Record<string, unknown> {
    return this.#document().meta ?? {};
  }

  get links(): Record<string, string> {
    return this.#document().links ?? {};
  }

  get errors(): ErrorObject[] {
    return this.#document().errors ?? [];
  }

  #document(): TestDocument {
    return JSON.parse(this.text);
  }
}

/** A resource as tests read it: what is absent is an empty object. */
export interface TestResource extends ResourceObject {
  attributes: Record<string, unknown>;
  relationships: Record<string, RelationshipObject>;
}

interface TestDocument {
  data?: TestResource | TestResource[] | null;
  included?: TestResource[];
  meta?: Record<string, unknown>;
  links?: Record<string, string>;
  errors?: ErrorObject[];
}
