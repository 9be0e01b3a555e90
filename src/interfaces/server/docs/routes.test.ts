/** The documents and the routes describe each other completely. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../../test/support/environment.ts';
import { servedRoutes } from '../../../../test/support/served-routes.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { openTestWorlds } from '../../../../test/support/worlds.ts';
import { panelDocument } from '../../panel/openapi.ts';
import { knownVersions } from '../../platform/versions/versions.ts';
import { createHttpServer } from '../http-server.ts';
import { roomsWith } from '../rooms.ts';
import { openApiDocument } from './document.ts';

/** Interfaces that are described; the server's pages are not. */
const describedPaths = ['/v3/', '/api/v1/', '/sandbox/v1/', '/panel/v1/', '/storage/'];

const environment = useOpened(() => createTestEnvironment());
const routed = new Set<string>();

beforeAll(async () => {
  const { worlds, close } = openTestWorlds(environment.env);
  const app = await createHttpServer(environment.env, {
    rooms: roomsWith([], 'any', null, { operators: true }, worlds),
  });
  for (const { method, pattern } of servedRoutes(app)) {
    routed.add(`${method} ${pattern.replace(/:(\w+)/g, '{}').replace(/\/$/, '')}`);
  }
  await app.close();
  await close();
});

/** Each path belongs to some version. */
const paths = knownVersions.map((version) => openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1', version).paths);
const { paths: panelPaths } = panelDocument({ name: 'sandbox' }, 'http://127.0.0.1');
const described = [panelPaths, ...paths].flatMap((each) =>
  Object.entries(each).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
  ),
);

describe('the OpenAPI document and the routes', () => {
  test('every route of an interface is described', () => {
    const known = new Set(described);
    const forgotten = [...routed].filter((route) => {
      const [method = '', url = ''] = route.split(' ');
      const counts = describedPaths.some((prefix) => url.startsWith(prefix)) && !['HEAD', 'OPTIONS'].includes(method);
      return counts && !known.has(route);
    });
    expect(forgotten).toEqual([]);
  });

  test('everything described is routed', () => {
    expect(described.filter((operation) => !routed.has(operation))).toEqual([]);
    expect(described.length).toBeGreaterThan(150);
  });
});
