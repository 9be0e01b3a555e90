/** Which route a method and a path belong to. */
import { expect, test } from 'vitest';
import { text } from './attributes.ts';
import { declare } from './declare.ts';
import type { EngineContext } from './resource.ts';
import { RouteTable, type TypeRoute } from './route-table.ts';

const resource = declare<EngineContext>('catalogue', 'files', { attributes: { name: text() } });
const route = (name: string): TypeRoute => ({
  resource,
  flags: { type: name },
  reference: false,
  run: async () => null,
});

const table = new RouteTable();
table.add('1', 'GET', '/files', route('list'));
table.add('1', 'POST', '/files', route('create'));
table.add('1', 'GET', '/files/:id', route('read'));
table.add('1', 'GET', '/files/newest', route('newest'));
table.add('1', 'GET', '/files/:id/relationships/owner', route('linkage'));

const found = (path: string, method = 'GET') => {
  const match = table.find(path);
  return match && [match.pattern, match.id, match.routes.get(method)?.flags.type];
};

test.each([
  ['/files', ['/files', '', 'list']],
  ['/files/1', ['/files/:id', '1', 'read']],
  ['/files/newest', ['/files/newest', '', 'newest']],
  ['/files/newest/relationships/owner', ['/files/:id/relationships/owner', 'newest', 'linkage']],
  ['/f%69les/a%2Fb', ['/files/:id', 'a/b', 'read']],
])('%s is found', (path, expected) => {
  expect(found(path)).toEqual(expected);
});

test.each([
  '',
  '/',
  '/file',
  '/Files',
  '/files/',
  '/files//relationships/owner',
  '/files/1/relationships',
  '/files/1/2',
])('%j is not there', (path) => {
  expect(table.find(path)).toBeNull();
});

test('what is read with GET is read with HEAD too', () => {
  expect(found('/files', 'HEAD')).toEqual(['/files', '', 'list']);
  expect([...(table.find('/files')?.routes.keys() ?? [])]).toEqual(['GET', 'HEAD', 'POST']);
});

test('a method of a path is routed once', () => {
  expect(() => table.add('1', 'POST', '/files', route('again'))).toThrow('POST /files is routed twice');
});
