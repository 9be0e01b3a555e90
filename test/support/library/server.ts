/** The library behind a real HTTP server, with clients of two accounts that check every response. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { Pool } from 'pg';
import { createPool } from '../../../src/engines/db/pool.ts';
import { ApiError, errors } from '../../../src/engines/jsonapi/errors.ts';
import { registryPart } from '../../../src/engines/jsonapi/openapi/part.ts';
import { type EngineContext, Registry } from '../../../src/engines/jsonapi/resource.ts';
import { registerResources, withoutLastSlash } from '../../../src/engines/jsonapi/routes.ts';
import type { RunQuery } from '../../../src/engines/jsonapi/sql.ts';
import { composeOpenApi } from '../../../src/engines/openapi/compose.ts';
import type { OpenApiDocument } from '../../../src/engines/openapi/types.ts';
import { ApiClient } from '../client.ts';
import { createTestDatabase } from '../database.ts';
import { resources } from './resources.ts';

const servedVersion = '2030-01-01';

/** Keys are account ids: who asks is not what is tested here. */
export const annaId = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const benId = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

interface Library {
  anna: ApiClient;
  ben: ApiClient;
  /** Without a key. */
  nobody: ApiClient;
  pool: Pool;
  document: OpenApiDocument;
  close(): Promise<void>;
}

export async function openLibrary(): Promise<Library> {
  const database = await createTestDatabase({ empty: true });
  const pool = createPool(database.url, { max: 5 });
  await pool.query(await readFile(new URL('./schema.sql', import.meta.url), 'utf8'));
  const registry = new Registry(resources);
  const app = Fastify({ rewriteUrl: ({ url = '/' }) => withoutLastSlash(url) });
  const query = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows;
  const transaction = async <T>(work: (run: RunQuery) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await work(async (text, values) => (await client.query(text, values)).rows);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
  await app.register(
    async (scope) =>
      registerResources<EngineContext>(scope, {
        registry,
        newestVersion: servedVersion,
        bodyLimit: 1_048_576,
        commonHeaders: () => ({ 'x-library': 'open' }),
        contextOf: async (request, route) => {
          const key = request.headers['api-key'];
          if (!route?.open && key !== annaId && key !== benId) throw new ApiError([errors.unauthorized()]);
          return {
            tenant: typeof key === 'string' ? { accountId: key } : null,
            now: new Date('2030-01-01T12:00:00Z'),
            baseUrl: `http://${request.host}/library`,
            apiVersion: servedVersion,
            defaultPageSize: 50,
            maxPageSize: 100,
            query,
            transaction,
          };
        },
      }),
    { prefix: '/library' },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const document = describeLibrary(registry, url);
  const nobody = new ApiClient({ url, prefix: '/library', key: null, document });
  return {
    anna: nobody.with({ key: annaId }),
    ben: nobody.with({ key: benId }),
    nobody,
    pool,
    document,
    close: async () => {
      await app.close();
      await pool.end();
      await database.drop();
    },
  };
}

function describeLibrary(registry: Registry, url: string): OpenApiDocument {
  const part = registryPart(registry, {
    prefix: '/library',
    versionHeader: 'X-Service-Api-Version',
    versions: [servedVersion],
    pageSizes: { default: 50, max: 100 },
    tags: [{ name: 'Rooms' }],
    securityScheme: { type: 'apiKey', in: 'header', name: 'api-key' },
  });
  const frame = {
    title: 'Library',
    version: servedVersion,
    description: 'Books.',
    serverUrl: url,
    serverDescription: 'test',
  };
  return composeOpenApi(frame, [part]);
}
