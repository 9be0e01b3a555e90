import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../test/support/environment.ts';
import { useOpened } from '../../test/support/use.ts';
import type { ControlRoutes } from './control.ts';
import { sandboxPart } from './openapi.ts';
import { controlsWith } from './routes.ts';

const world = useOpened(() => createTestEnvironment());

test('every request body of the API reference is the schema that the server checks', () => {
  const checked = new Map<string, TSchema>();
  const read = new Set<string>();
  const pathOf = (path: string) => `/sandbox/v1${path.replace(/:(\w+)/g, '{$1}')}`;
  const routes: ControlRoutes = {
    get: (path) => void read.add(pathOf(path)),
    post: (path, body) => void checked.set(pathOf(path), body),
  };
  for (const control of controlsWith([], 'any')) control(routes, world.env);

  const described = Object.entries(sandboxPart.paths);
  expect(described.filter(([, item]) => item.get).map(([path]) => path)).toEqual(expect.arrayContaining([...read]));
  const bodies = described.flatMap(([path, { post }]) => (post ? [[path, post] as const] : []));
  expect(bodies.map(([path]) => path).sort()).toEqual([...checked.keys()].sort());
  for (const [path, { requestBody }] of bodies) {
    expect(requestBody?.content['application/json']?.schema, path).toBe(checked.get(path));
  }
});
