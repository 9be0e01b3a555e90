/** Finished responses kept in memory for one version of the reference data. */
import { expect, test } from 'vitest';
import { ReadyResponses } from './ready-responses.ts';

const body = (size: number) => ({ bytes: Buffer.alloc(size, 'x'), etag: 'W/"x"' });

test('a response is kept for one version of the reference data', () => {
  const ready = new ReadyResponses();
  ready.keep('/countries', 'v1', body(10));
  expect(ready.get('/countries', 'v1')?.bytes.length).toBe(10);
  expect(ready.get('/countries', 'v2')).toBeNull();
  expect(ready.bytes).toBe(0);
});

test('memory is bounded: what was not asked for longest is dropped, and what is too large is never kept', () => {
  const ready = new ReadyResponses(10_000);
  for (let n = 0; n < 100; n += 1) {
    ready.keep(`/cities?page=${n}`, 'v', body(1_000));
    ready.get('/cities?page=0', 'v');
    expect(ready.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(ready.get('/cities?page=0', 'v')).not.toBeNull();
  expect(ready.get('/cities?page=50', 'v')).toBeNull();
  expect(ready.get('/cities?page=99', 'v')).not.toBeNull();
  expect(ready.keep('/large', 'v', body(20_000)).bytes.length).toBe(20_000);
  expect(ready.get('/large', 'v')).toBeNull();
});
