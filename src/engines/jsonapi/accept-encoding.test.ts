/** `Accept-Encoding` with weights, refusals and wildcards. */
import { expect, test } from 'vitest';
import { chooseEncoding } from './accept-encoding.ts';

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['deflate', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, zstd', 'zstd'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, zstd;q=0, gzip;q=0', null],
  ['GZIP;q=0.1', 'gzip'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'zstd'],
  ['identity, gzip;q=0.5', null],
])('Accept-Encoding %s gets %s', (header, encoding) => {
  expect(chooseEncoding(header, ['br', 'zstd', 'gzip'])).toBe(encoding);
});
