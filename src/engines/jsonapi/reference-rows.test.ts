/** Reference rows kept in memory for one version of them. */
import { expect, test } from 'vitest';
import { ReferenceRows } from './reference-rows.ts';

const rowsOf = (ids: readonly string[]) => ids.map((id) => ({ id }));

test('rows are read once for a version, and only those that are missing', async () => {
  const rows = new ReferenceRows(async () => 'v');
  const read: string[] = [];
  const ask = (version: string, ids: string[]) =>
    rows.read(Promise.resolve(version), 'shape', ids, async (missing) => {
      read.push(missing.join());
      return rowsOf(missing);
    });
  await ask('v1', ['a', 'b']);
  await ask('v1', ['a', 'b']);
  expect((await ask('v1', ['b', 'c'])).map(({ id }) => id)).toEqual(['b', 'c']);
  await ask('v2', ['a']);
  expect(read).toEqual(['a,b', 'c', 'a']);
});

test('memory is bounded', async () => {
  const rows = new ReferenceRows(async () => 'v', 10);
  for (let n = 0; n < 100; n += 1) {
    await rows.read(rows.version(), `shape ${n % 3}`, [`${n}`], async (ids) => rowsOf(ids));
    expect(rows.size).toBeLessThanOrEqual(10);
  }
});

test('a row that does not exist is no row, and is asked for again', async () => {
  const rows = new ReferenceRows(async () => 'v');
  const none = () => rows.read(rows.version(), 'shape', ['a'], async () => []);
  expect([await none(), await none()]).toEqual([[], []]);
});
