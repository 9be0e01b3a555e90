/** What counts as a database that is away, told from what is broken. */
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isUnavailable } from './unavailable.ts';

const withCode = (code: string, syscall?: string): Error => Object.assign(new Error(code), { code, syscall });

test.each([
  ...['08006', '57P01', '57P02', '57P03', '53300', '53100', '58030', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH'],
])('%s means that the database is away', (code) => {
  expect(isUnavailable(withCode(code))).toBe(true);
});

test.each(['23505', '42P01', 'XX000', 'ENOENT', 'EACCES'])('%s alone means that something is wrong', (code) => {
  expect(isUnavailable(withCode(code))).toBe(false);
});

test('a socket that is not there is a database that is away; a file that is not there is not', async () => {
  const client = new pg.Client({ host: path.join(os.tmpdir(), 'no-such-folder-of-trunkline') });
  const error = await client.connect().then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(isUnavailable(error)).toBe(true);
  expect(isUnavailable(withCode('ENOENT', 'open'))).toBe(false);
});
