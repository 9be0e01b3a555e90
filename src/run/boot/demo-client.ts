/** Sends requests of the demo account without a network; what was created once is not created again. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { DemoAccess } from '../../interfaces/server/docs/demo-access.ts';

/** Runs `make`, unless an earlier start did, and returns the id that it returned then. */
export type Once = (step: string, make: () => Promise<string>) => Promise<string>;

export type DemoClient = ReturnType<typeof demoClient>;

export interface Identifier {
  readonly type: string;
  readonly id: string;
}

interface Resource extends Identifier {
  readonly attributes: Readonly<Record<string, unknown>>;
}

const jsonApi = 'application/vnd.api+json';

/** Every request is refused once `signal` is aborted. */
export function demoClient(
  app: FastifyInstance,
  { apiKey, application }: Pick<DemoAccess, 'apiKey' | 'application'>,
  once: Once,
  signal: AbortSignal,
) {
  const inject = async (options: InjectOptions & { url: string }) => {
    signal.throwIfAborted();
    const response = await app.inject(options);
    if (response.statusCode < 400) return response;
    throw new Error(`${options.method ?? 'GET'} ${options.url}: ${response.body}`);
  };
  const list = async (path: string): Promise<Resource[]> => {
    const response = await inject({ url: `/v3${path}`, headers: { 'api-key': apiKey } });
    return response.json<{ data: Resource[] }>().data;
  };
  const post = (url: string, contentType: string, payload: string | Buffer, headers = { 'api-key': apiKey }) =>
    inject({ method: 'POST', url, headers: { ...headers, 'content-type': contentType }, payload });
  const created = new Map<string, number>();
  /** The same in every start: a process that ends before it has noted a record does not create it again. */
  const keyOf = (type: string, document: string): string => {
    const place = (created.get(type) ?? 0) + 1;
    created.set(type, place);
    return `demo ${type} ${place} ${createHash('sha256').update(document).digest('hex').slice(0, 16)}`;
  };
  const idIn = (response: { json<T>(): T }) => response.json<{ data: Identifier }>().data.id;

  return {
    list,
    first: async (path: string): Promise<string> => {
      const [record] = await list(path);
      if (!record) throw new Error(`nothing at ${path}`);
      return record.id;
    },
    /** Waits until a list has at least `count` records, because a job makes them. */
    atLeast: async (count: number, path: string): Promise<Resource[]> => {
      for (;;) {
        const found = await list(path);
        if (found.length >= count) return found;
        await sleep(100, undefined, { signal });
      }
    },
    create: async (type: string, attributes: object, links: Record<string, Identifier | Identifier[]> = {}) => {
      const relationships = Object.fromEntries(Object.entries(links).map(([name, data]) => [name, { data }]));
      const document = JSON.stringify({ data: { type, attributes, relationships } });
      const headers = { 'api-key': apiKey, 'idempotency-key': keyOf(type, document) };
      const make = async () => idIn(await post(`/v3/${type}`, jsonApi, document, headers));
      return { type, id: await once(type, make) };
    },
    link: async ({ type, id }: Identifier, name: string, data: Identifier): Promise<void> => {
      const headers = { 'api-key': apiKey, 'content-type': jsonApi };
      const url = `/v3/${type}/${id}/relationships/${name}`;
      await inject({ method: 'PATCH', url, headers, payload: JSON.stringify({ data }) });
    },
    upload: async (form: FormData): Promise<Identifier> => {
      const body = new Response(form);
      const payload = Buffer.from(await body.arrayBuffer());
      const contentType = body.headers.get('content-type') ?? '';
      const make = async () => idIn(await post('/v3/encrypted_files', contentType, payload));
      return { type: 'encrypted_files', id: await once('encrypted_files', make) };
    },
    download: async (url: string): Promise<Buffer> => (await inject({ url: new URL(url).pathname })).rawPayload,
    /** Decides a submission as the sandbox lets customers do. */
    approve: ({ type, id }: Identifier) =>
      once('decision', async () => {
        const response = await inject({ url: `/v3/${type}/${id}`, headers: { 'api-key': apiKey } });
        const { status } = response.json<{ data: Resource }>().data.attributes;
        if (status === 'pending') {
          await post(`/sandbox/v1/${type}/${id}/decision`, 'application/json', '{"action":"approve"}');
        }
        return id;
      }),
    startVerification: async (data: object): Promise<void> => {
      if (application === null) return;
      const credentials = Buffer.from(`${application.key}:${application.secret}`).toString('base64');
      const authorization = { 'api-key': '', authorization: `Basic ${credentials}` };
      await once('verifications', async () =>
        idIn(await post('/api/v1/verifications', 'application/json', JSON.stringify({ data }), authorization)),
      );
    },
  };
}
