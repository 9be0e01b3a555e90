/** The request bodies of the document are the schemas that the server checks. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { TypedSchema } from '../../engines/typed-schema.ts';
import { Worlds } from '../worlds/worlds.ts';
import type { ControlRoutes } from './control.ts';
import { sandboxPart } from './openapi.ts';
import { controlsWith } from './routes.ts';

const world = useOpened(() => createTestEnvironment());
/** Only the routes are looked at. */
const limits = { most: 1, mostSip: 1, idleMs: 1, ready: 0, mostBytes: 1 };
const opener = {
  openEnvironment: () => Promise.reject(),
  sealed: [],
  threadProgram: '',
};

test('every request body of the API reference is the schema that the server checks', () => {
  const worlds = new Worlds(world.env, opener, limits, '127.0.0.1');
  const checked = new Map<string, TypedSchema>();
  const read = new Set<string>();
  const put = new Set<string>();
  const deleted = new Set<string>();
  const pathOf = (path: string) => `/sandbox/v1${path.replace(/:(\w+)/g, '{$1}')}`;
  const routes: ControlRoutes = {
    get: (path) => void read.add(pathOf(path)),
    post: (path, body) => void checked.set(pathOf(path), body),
    postLong: (path, body) => void checked.set(pathOf(path), body),
    put: (path) => void put.add(pathOf(path)),
    delete: (path) => void deleted.add(pathOf(path)),
  };
  for (const control of controlsWith([], 'any', worlds)) control(routes, world.env);

  const described = Object.entries(sandboxPart.paths);
  expect(described.filter(([, item]) => item.get).map(([path]) => path)).toEqual(expect.arrayContaining([...read]));
  expect(
    described
      .filter(([, item]) => item.delete)
      .map(([path]) => path)
      .sort(),
  ).toEqual([...deleted].sort());
  expect(described.filter(([, item]) => item.put).map(([path]) => path)).toEqual([...put]);
  const bodies = described.flatMap(([path, { post }]) => (post ? [[path, post] as const] : []));
  expect(bodies.map(([path]) => path).sort()).toEqual([...checked.keys()].sort());
  for (const [path, { requestBody }] of bodies) {
    expect(requestBody?.content['application/json']?.schema, path).toBe(checked.get(path));
  }
});
