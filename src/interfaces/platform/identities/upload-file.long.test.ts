/** An upload from its request to its expiry. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import {
  encryptFile,
  type Keys,
  pdf,
  testKeys,
  upload,
  uploadForm,
} from '../../../../test/support/encrypted-upload.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { rotateKeys } from './key-pairs.ts';
import { forgetUploadTask } from './stored-files.ts';

const server = useOpened(() => startTestServer());
let keys: Keys;
beforeAll(async () => {
  keys = await testKeys(server.env);
});

const post = (form: FormData) => upload(server, server.key, form);
const countStored = async () => {
  const { rows } = await server.env.pool.query(
    'select (select count(*)::int from stored_files) as files, (select count(*)::int from stored_file_chunks) as chunks',
  );
  return rows[0];
};

async function refusal(answer: Response) {
  const { errors, meta } = (await answer.json()) as { errors: Record<string, unknown>[]; meta: unknown };
  expect(meta).toEqual({ api_version: '2026-04-16' });
  return { status: answer.status, ...errors[0] };
}

const outdated = {
  status: '422',
  title: 'outdated fingerprint',
  detail: 'outdated fingerprint',
  code: '100',
  source: { pointer: '/data' },
};
const invalidParams = { status: '400', title: 'invalid params', detail: 'invalid params', code: '400' };

test('an upload becomes a file of one day, shown without its content', async () => {
  const answer = await post(uploadForm(encryptFile(pdf, keys), keys.fingerprint, 'my passport'));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
  expect(answer.headers.get('etag')).toMatch(/^W\/"/);
  const document = (await answer.json()) as { data: { id: string } };
  expect(document).toEqual({
    data: {
      id: document.data.id,
      type: 'encrypted_files',
      attributes: { description: 'my passport', expires_at: '2026-06-16T12:00:00.000Z' },
    },
    meta: { api_version: '2026-04-16' },
  });
  const read = await server.client.get(`/encrypted_files/${document.data.id}`);
  expect(read.resource).toEqual(document.data);
  expect((await server.client.get('/encrypted_files?sort=-expire_at')).resources).toHaveLength(1);
  expect((await server.client.delete(`/encrypted_files/${document.data.id}`)).status).toBe(204);
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
});

test('an empty description is none, and the order of parts does not matter', async () => {
  const form = new FormData();
  form.append('encrypted_files[file]', new Blob([new Uint8Array(encryptFile(randomBytes(700_000), keys))]), 'scan');
  form.append('encrypted_files[description]', '');
  form.append('encrypted_files[encryption_fingerprint]', keys.fingerprint);
  const answer = await post(form);
  const { data } = (await answer.json()) as { data: { id: string; attributes: object } };
  expect([answer.status, data.attributes]).toMatchObject([201, { description: null }]);
  expect((await countStored()).chunks).toBeGreaterThan(2);
  await server.client.delete(`/encrypted_files/${data.id}`);
});

test('a day later it is gone, bytes and all', async () => {
  const { data } = (await (await post(uploadForm(encryptFile(pdf, keys), keys.fingerprint))).json()) as {
    data: { id: string };
  };
  server.clock.advance(86_400);
  expect((await server.client.get(`/encrypted_files/${data.id}`)).status).toBe(404);
  await runDueJobs(server.env);
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
});

test.each([
  ['outdated fingerprint', () => uploadForm(encryptFile(pdf, keys), 'a'.repeat(40)), outdated],
  [
    'the two halves swapped',
    () => uploadForm(encryptFile(pdf, keys), keys.fingerprint.split(':::').reverse().join(':::')),
    outdated,
  ],
  ['no fingerprint', () => form({ 'encrypted_files[file]': new Blob(['abc']) }), outdated],
  ['no file', () => form({ 'encrypted_files[encryption_fingerprint]': keys.fingerprint }), blank()],
  ['an empty file', () => uploadForm(Buffer.alloc(0), keys.fingerprint), blank()],
  ['a file as text', () => form({ ...fingerprint(), 'encrypted_files[file]': 'text' }), blank()],
  [
    'the old batch form',
    () => form({ ...fingerprint(), 'encrypted_files[items][][file]': new Blob(['x']) }),
    invalidParams,
  ],
  [
    'an unknown field',
    () => form({ ...fingerprint(), 'encrypted_files[file]': new Blob(['x']), more: '1' }),
    invalidParams,
  ],
  ['a field that is twice there', () => twice(), invalidParams],
  ['two files', () => twoFiles(), invalidParams],
] as const)('%s is refused and leaves nothing', async (_name, make, expected) => {
  expect(await refusal(await post(make()))).toEqual(expected);
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
});

test('more than 20 MiB is refused, exactly 20 MiB is not', async () => {
  const most = Buffer.alloc(20 * 1024 * 1024);
  const tooMuch = await refusal(await post(uploadForm(Buffer.concat([most, Buffer.alloc(1)]), keys.fingerprint)));
  expect(tooMuch).toMatchObject({ status: '422', detail: 'file - is too large (maximum is 20 MiB)' });
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
  const answer = await post(uploadForm(most, keys.fingerprint));
  expect(answer.status).toBe(201);
  const { data } = (await answer.json()) as { data: { id: string } };
  await server.client.delete(`/encrypted_files/${data.id}`);
});

test.each([
  ['no form', 'text/plain', 'hello'],
  ['a form without a boundary', 'multipart/form-data', 'hello'],
  ['no closing boundary', 'multipart/form-data; boundary=b', part('encrypted_files[file]"; filename="x', 'abc')],
  ['a part without an end', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="encryp'],
  ['rubbish', 'multipart/form-data; boundary=b', 'rubbish'],
])('%s is refused and leaves nothing', async (_name, type, body) => {
  const headers = { 'api-key': server.key, 'content-type': type };
  const answer = await checkedFetch(`${server.url}/v3/encrypted_files`, { method: 'POST', headers, body });
  expect(await refusal(answer)).toEqual(invalidParams);
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
});

test('a connection that breaks off leaves nothing', async () => {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const start = part('encrypted_files[file]"; filename="x', 'x'.repeat(600_000));
  socket.write(
    `POST /v3/encrypted_files HTTP/1.1\r\nHost: x\r\napi-key: ${server.key}\r\nContent-Length: 5000000\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n\r\n${start}`,
  );
  await expect.poll(countStored).toMatchObject({ files: 1 });
  socket.destroy();
  await expect.poll(countStored).toEqual({ files: 0, chunks: 0 });
});

test('without a key nothing is read', async () => {
  const answer = await upload(server, 'not a key of anyone', uploadForm(Buffer.from('x'), keys.fingerprint));
  expect([answer.status, await countStored()]).toEqual([401, { files: 0, chunks: 0 }]);
});

test('what a process left behind when it died is cleared away', async () => {
  await server.env.pool.query(`insert into stored_files (account_id, created_at) values ($1, $2)`, [
    server.accountId,
    server.clock.now(),
  ]);
  const { rows } = await server.env.pool.query('select id from stored_files');
  await server.env.jobs.add(server.env.db, forgetUploadTask, { stored_file_id: rows[0].id });
  await runDueJobs(server.env);
  expect(await countStored()).toEqual({ files: 0, chunks: 0 });
});

test('rotation makes the old fingerprint outdated and offers new keys in their order', async () => {
  const old = keys;
  await rotateKeys(server.env, 1024);
  const published = await server.client.with({ key: null }).get('/public_keys');
  expect(published.resources.map(({ attributes }) => attributes.key)).toEqual((await testKeys(server.env)).pems);
  expect(published.meta).toEqual({ total_records: 2, api_version: '2026-04-16' });
  const filtered = await server.client.with({ key: null }).get('/public_keys?filter[id]=whatever');
  expect(filtered.resources).toEqual(published.resources);
  expect(await refusal(await post(uploadForm(encryptFile(pdf, old), old.fingerprint)))).toEqual(outdated);
  keys = await testKeys(server.env);
  expect((await post(uploadForm(encryptFile(pdf, keys), keys.fingerprint))).status).toBe(201);
});

function blank() {
  const at = { source: { pointer: '/data/attributes/file' } };
  return { status: '422', title: "can't be blank", detail: "file - can't be blank", code: '100', ...at };
}

function form(parts: Record<string, string | Blob>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) data.append(name, value);
  return data;
}

function fingerprint() {
  return { 'encrypted_files[encryption_fingerprint]': keys.fingerprint };
}

function twice(): FormData {
  const data = form({ ...fingerprint(), 'encrypted_files[file]': new Blob(['x']) });
  data.append('encrypted_files[description]', 'a');
  data.append('encrypted_files[description]', 'b');
  return data;
}

function twoFiles(): FormData {
  const data = form(fingerprint());
  data.append('encrypted_files[file]', new Blob(['x']), 'a');
  data.append('encrypted_files[file]', new Blob(['y']), 'b');
  return data;
}

function part(name: string, body: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${body}`;
}

test('a description has at most 10,000 characters', async () => {
  const described = (length: number) => post(uploadForm(encryptFile(pdf, keys), keys.fingerprint, 'x'.repeat(length)));
  const before = await countStored();
  expect(await refusal(await described(10_001))).toMatchObject({
    status: '422',
    detail: 'description - is too long (maximum is 10000 characters)',
  });
  expect(await countStored()).toEqual(before);
  expect((await described(10_000)).status).toBe(201);
});
