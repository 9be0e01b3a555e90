/** Uploads that were damaged on the way: every one gets a documented answer, and only an accepted one is stored. */

import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import { encryptFile, type Keys, pdf, testKeys } from '../../../../test/support/encrypted-upload.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
let keys: Keys;
let body: Buffer;
beforeAll(async () => {
  keys = await testKeys(server.env);
  const part = (name: string, rest = '') =>
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="encrypted_files[${name}]"${rest}\r\n\r\n`);
  body = Buffer.concat([
    part('encryption_fingerprint'),
    Buffer.from(`${keys.fingerprint}\r\n`),
    part('file', '; filename="x"\r\nContent-Type: application/octet-stream'),
    encryptFile(pdf, keys),
    Buffer.from('\r\n'),
    part('description'),
    Buffer.from('a passport\r\n--b--\r\n'),
  ]);
});

const rows = async (table: string) =>
  (await server.env.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

async function send(bytes: Buffer, type = 'multipart/form-data; boundary=b') {
  const headers = { 'api-key': server.key, 'content-type': type };
  const response = await checkedFetch(`${server.url}/v3/encrypted_files`, {
    method: 'POST',
    headers,
    body: new Uint8Array(bytes),
  });
  return { status: response.status, text: await response.text() };
}

/** Cuts a piece out, doubles one, or overwrites some bytes. */
const damage = fc.record({
  at: fc.nat({ max: 999 }),
  length: fc.integer({ min: 1, max: 400 }),
  how: fc.constantFrom('cut', 'end', 'double', 'overwrite'),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
});

test('the form as it is, is accepted', async () => {
  expect((await send(body)).status).toBe(201);
});

test('a form whose part loses the end of its headers, or that ends before it begins, is answered too', async () => {
  const headerEnd = body.indexOf('\r\n\r\n');
  expect((await send(Buffer.concat([body.subarray(0, headerEnd), body.subarray(headerEnd + 4)]))).status).toBe(422);
  expect((await send(Buffer.concat([Buffer.from('--b'), body]))).status).toBe(422);
});

test('damaged forms are refused or accepted, never half stored, and never a failure of the server', async () => {
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, length, how, bytes }) => {
      const from = Math.floor((at / 1000) * body.length);
      const piece = body.subarray(from, from + length);
      const damaged = {
        cut: () => Buffer.concat([body.subarray(0, from), body.subarray(from + length)]),
        end: () => body.subarray(0, from),
        double: () => Buffer.concat([body.subarray(0, from), piece, body.subarray(from)]),
        overwrite: () => Buffer.concat([body.subarray(0, from), bytes, body.subarray(from + bytes.length)]),
      }[how]();
      const before = await rows('encrypted_files');
      const { status, text } = await send(damaged);
      expect([201, 400, 422], text).toContain(status);
      expect(await rows('encrypted_files')).toBe(before + (status === 201 ? 1 : 0));
      expect(await rows('stored_files')).toBe(await rows('encrypted_files'));
    }),
    { numRuns: 60 },
  );
});

test('so are forms that call themselves something else', async () => {
  for (const type of [
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=b',
    'multipart/form-data; boundary=c',
    'MULTIPART/FORM-DATA',
  ]) {
    expect((await send(body, type)).status).toBe(400);
  }
  expect(await rows('stored_files')).toBe(await rows('encrypted_files'));
});
