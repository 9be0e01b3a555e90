/** Uploads of an account whose operator wants them looked into: what no reviewer could open is refused at once. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import {
  encryptFile,
  type Keys,
  pdf,
  testKeys,
  upload,
  uploadForm,
} from '../../../../test/support/encrypted-upload.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { setUploadCheck } from './open-file.ts';

const server = useOpened(() => startTestServer());
let keys: Keys;
beforeAll(async () => {
  keys = await testKeys(server.env);
  await setUploadCheck(server.env, server.accountId, true);
});

const post = (blob: Buffer, key = server.key) => upload(server, key, uploadForm(blob, keys.fingerprint));
const count = async (table: string) =>
  (await server.env.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;
const checks = async () =>
  (await server.env.pool.query('select actor, action, details from audit_log order by id desc limit 1')).rows[0];

test.each([
  ['is shorter than its own keys', 'too_short', () => randomBytes(100)],
  [
    'does not end on a whole block: it was cut short or is not encrypted',
    'not_whole_blocks',
    () => encryptFile(pdf, keys).subarray(0, -1),
  ],
  ['was encrypted for another key', 'foreign_key', () => encryptFile(pdf, { pems: [newPem(), newPem()] })],
  [
    'does not decrypt at its end: it was damaged or cut short',
    'wrong_padding',
    () => encryptFile(`${pdf}${'.'.repeat(4000)}`, keys).subarray(0, -16),
  ],
  ['is not a PDF, JPG or PNG', 'not_a_document', () => encryptFile('MZ a program', keys)],
] as const)('a file that %s is refused and leaves nothing', async (text, problem, make) => {
  const response = await post(make());
  const { errors } = (await response.json()) as { errors: object[] };
  const source = { pointer: '/data/attributes/file' };
  expect([response.status, errors]).toEqual([
    422,
    [{ title: text, detail: `file - ${text}`, code: '100', source, status: '422' }],
  ]);
  expect([await count('stored_files'), await count('stored_file_chunks')]).toEqual([0, 0]);
  expect(await checks()).toEqual({ actor: 'system', action: 'file.checked', details: { problem } });
});

test('a document is taken, and the log tells that it was looked into', async () => {
  expect((await post(encryptFile(Buffer.concat([Buffer.from(pdf), randomBytes(600_000)]), keys))).status).toBe(201);
  expect(await checks()).toEqual({ actor: 'system', action: 'file.checked', details: {} });
});

test('what other accounts send is opaque, and so is this one’s once it is switched off', async () => {
  const other = await server.addAccount();
  expect((await post(randomBytes(100), other.key)).status).toBe(201);
  await setUploadCheck(server.env, server.accountId, false);
  expect((await post(randomBytes(100))).status).toBe(201);
});

const newPem = () =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
