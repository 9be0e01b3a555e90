/** Sends requests and keeps what was said, in a form that is the same in every run. */

import { isUuid } from '../../src/base/uuid.ts';
import { nameBasedId } from '../../src/business/catalogue/ids.ts';
import type { Exchange } from '../../src/engines/openapi/examples.ts';
import type { OpenApiDocument, Operation } from '../../src/engines/openapi/types.ts';
import { fingerprintOf } from '../../src/interfaces/platform/identities/key-pairs.ts';
import { resources } from '../../src/interfaces/platform/v3/resources.ts';
import { recordedUrl } from '../../src/interfaces/server/docs/document.ts';
import { checkedFetch } from './checked-fetch.ts';

interface RecorderOptions {
  url: string;
  key: string;
  document: OpenApiDocument;
  /** Called before each request: moves the clock, so that lists by time have one order. */
  tick?: () => void;
}

export interface Sent {
  /** The name of this way of calling the operation. */
  as?: string;
  body?: unknown;
  form?: FormData;
  /** A body that is sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** A step of the story that is no example. */
  unrecorded?: boolean;
  /** Whether the request is meant to fail; others may not. */
  refused?: boolean;
}

export class Recorder {
  readonly exchanges: Record<string, Exchange[]> = {};
  /** Requests that should have succeeded and did not, or the other way round. */
  readonly surprises: string[] = [];
  readonly #options: RecorderOptions;
  readonly #routes: { pattern: RegExp; item: Record<string, Operation> }[];

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#routes = Object.entries(options.document.paths)
      .sort(([left], [right]) => variables(left) - variables(right) || right.length - left.length)
      .map(([path, item]) => ({ item, pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }));
  }

  /** A file that the server has; no example. */
  async download(url: string): Promise<Uint8Array<ArrayBuffer>> {
    const response = await checkedFetch(`${this.#options.url}${url}`, { headers: { 'api-key': this.#options.key } });
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The parsed response; null when it has no JSON. */
  async send(
    method: string,
    url: string,
    { as = 'Example', body, form, raw, headers = {}, refused = false, unrecorded = false }: Sent = {},
  ): Promise<Answered> {
    this.#options.tick?.();
    const json = url.startsWith('/v3/') ? 'application/vnd.api+json' : 'application/json';
    const sent = form ?? raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const payload = sent === undefined ? {} : { body: sent };
    const response = await checkedFetch(`${this.#options.url}${url}`, {
      method,
      headers: {
        accept: json,
        ...(url.startsWith('/api/') ? {} : { 'api-key': this.#options.key }),
        ...(body === undefined && raw === undefined ? {} : { 'content-type': json }),
        ...headers,
      },
      ...payload,
    });
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer: unknown = isJson ? await response.json() : undefined;
    if (response.status >= 400 !== refused) {
      this.surprises.push(`${method} ${url} answered ${response.status}: ${JSON.stringify(answer)}`);
    }
    if (unrecorded) return { status: response.status, body: answer as Body };
    const [path = '', query = null] = url.split('?', 2);
    const { operation, parameters } = this.#operationOf(method, path);
    const exchange: Exchange = {
      name: as,
      path: parameters,
      query: query === null ? null : decodeURIComponent(query),
      ...requestOf(refused ? undefined : (body ?? form)),
      status: response.status,
      ...(answer === undefined ? {} : { response: answer }),
    };
    const known = this.exchanges[operation.operationId] ?? [];
    const isKnown = known.some(({ name }) => name === as);
    this.exchanges[operation.operationId] = isKnown
      ? known.map((each) => (each.name === as ? exchange : each))
      : [...known, exchange];
    return { status: response.status, body: answer as Body };
  }

  #operationOf(method: string, path: string): { operation: Operation; parameters: Record<string, string> } {
    for (const { pattern, item } of this.#routes) {
      const match = pattern.exec(path);
      const operation = item[method.toLowerCase()];
      if (match && operation) return { operation, parameters: { ...match.groups } };
    }
    throw new Error(`${method} ${path} is not in the OpenAPI document`);
  }

  has(operationId: string): boolean {
    return this.exchanges[operationId]?.some(({ status }) => status < 400) ?? false;
  }

  /** Ids, secrets and addresses of this run, replaced by ones that stay the same. */
  normalised(): Record<string, Exchange[]> {
    const text = JSON.stringify(this.exchanges).replaceAll(this.#options.url, recordedUrl);
    const exchanges: Record<string, Exchange[]> = JSON.parse(replaceOwnedIds(text));
    return sorted(replaceMachineTimes(replaceSecrets(exchanges) as Record<string, Exchange[]>));
  }
}

interface Answered {
  status: number;
  body: Body;
}

/** What the story reads of a response. */
interface Body {
  data: Resource & Resource[];
  included: Resource[];
  errors: { code: string; detail: string }[];
  id: string;
  messages: { id: string; code: string }[];
  now: string;
}

interface Resource {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  relationships: Record<string, { data: { id: string; type: string } & { id: string; type: string }[] }>;
}

/** Shorter ids are counted, such as those of messages; replacing them would hit other text. */
const shortestRandomId = 16;

/** A form is recorded by the values of its parts; of a file only the name. */
function requestOf(body: unknown): { request?: unknown } {
  if (body === undefined) return {};
  if (!(body instanceof FormData)) return { request: body };
  const parts = [...body].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
  return { request: Object.fromEntries(parts) };
}

/** Types whose records every installation has for itself; the ids of the catalogue are the same everywhere. */
const ownTypes = new Set(
  resources.filter(({ scope, stored }) => scope !== 'catalogue' && stored).map(({ type }) => type),
);

function replaceOwnedIds(text: string): string {
  const counts = new Map<string, number>();
  let replaced = text;
  const learn = (type: string, id: string) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    replaced = replaced.replaceAll(id, nameBasedId('examples', type, String(count)));
  };
  const known = new Set<string>();
  const exchanges: Record<string, Exchange[]> = JSON.parse(text);
  const bodies = Object.values(exchanges).flatMap((list) => list.map(({ request, response }) => [request, response]));
  walk(bodies, (value) => {
    if (!('id' in value) || typeof value.id !== 'string' || value.id.length < shortestRandomId || known.has(value.id))
      return;
    const type = 'type' in value ? String(value.type) : 'control';
    if (!ownTypes.has(type) && type !== 'control') return;
    known.add(value.id);
    learn(type, value.id);
  });
  return replaced;
}

function walk(value: unknown, visit: (value: object) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value);
  for (const member of Object.values(value)) walk(member, visit);
}

const secretMembers: Readonly<Record<string, string>> = {
  username: 'k3Jx9QpT5vLw2ZrB',
  password: 'nY7dWc4HsM8aRf6E',
  incoming_auth_username: 'k3Jx9QpT5vLw2ZrB',
  incoming_auth_password: 'nY7dWc4HsM8aRf6E',
};

/** What is random in every run, by the name of the member it stands in. */
function replaceSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceSecrets(each, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaceSecrets(member, key)]));
  }
  if (name === 'duration_ms') return 4;
  if (typeof value !== 'string') return value;
  if (name === 'reference') return 'KTH-650932';
  if (name === 'key' && value.includes('PUBLIC KEY')) return publicKey;
  if (name === 'url') return value.replace(/[^/]+\.csv\.gz$/, `${exportFile}.csv.gz`);
  if (name === 'filename') return exportFile;
  if (name === 'api_key') return 'kx3Jx9QpT5vLw2ZrBnY7dWc4HsM8aRf6E';
  if (name === 'secret') return 'nY7dWc4HsM8aRf6Ek3Jx9QpT5vLw2ZrBnY7dWc4HsM8';
  if (name === 'key' && isUuid(value)) return nameBasedId('examples', 'application');
  if (name === 'encrypted_files[encryption_fingerprint]') return `${fingerprint}:::${fingerprint}`;
  // What the customer chose, such as `{DID}`, is not random.
  return /^[A-Za-z0-9]{16}$/.test(value) ? (secretMembers[name] ?? value) : value;
}

/** Worlds begin at the machine's time, whatever the recorded server's clock shows. */
function replaceMachineTimes(exchanges: Record<string, Exchange[]>): Record<string, Exchange[]> {
  const isOfWorlds = (id: string) => /_(?:worlds?|snapshots?)$/.test(id);
  // The database adds this job by its own time, which is the machine's where a test has a clock that stands still.
  const isTimedByMachine = ({ task }: { task?: string }) => task === 'orders.fulfil_waiting';
  const withoutMachineJobs = (key: string, value: unknown): unknown =>
    key === 'next' && Array.isArray(value) ? value.filter((each) => !isTimedByMachine(Object(each))) : value;
  return Object.fromEntries(
    Object.entries(exchanges).map(([id, list]) => [
      id,
      isOfWorlds(id)
        ? JSON.parse(JSON.stringify(list).replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"2026-06-15T12:00:00.000Z"'))
        : JSON.parse(JSON.stringify(list), withoutMachineJobs),
    ]),
  );
}

const publicKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0xJFjJ+GdYcxGC0+MjTH
HqAaymfI33vD1DVNvx9ihTCJnFvIaN4hj6n6Hog6gJCkNdI5IXlGd/7Ie4WI7K63
eXnKTik83Blf9dBMn6aZnGhUoGvtqtcD1oGlgsBtbz9185AQD/SiImDmJvOUzf5G
6m5/7skDoQMT644PeXC96qLuA1SvgMgJp5zPW0jLePnhjBEFzIVI9WOj/ziTcqnz
G8mT19WAtZBoQSn4xkDl52l1Jva0909JJpVQLqSAwfVo/PklrdSig9ucYgUt3kc2
rDb8jdoP87mSjcRPh0oUGbApa4Q1QrsX6SfOotlIfa4ojE7c1TpkJNa+Mw6ofl1j
BQIDAQAB
-----END PUBLIC KEY-----
`;

const fingerprint = fingerprintOf(publicKey);
const exportFile = nameBasedId('examples', 'export file');

const sorted = (exchanges: Record<string, Exchange[]>): Record<string, Exchange[]> =>
  Object.fromEntries(Object.entries(exchanges).sort(([left], [right]) => (left < right ? -1 : 1)));

const variables = (path: string): number => path.split('{').length;
