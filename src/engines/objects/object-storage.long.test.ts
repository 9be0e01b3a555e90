/**
 * Files of uploads and exports in S3-compatible storage: a real server on loopback that checks signatures, and its
 * failures.
 */
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { encryptFile, testKeys, upload, uploadedFile, uploadForm } from '../../../test/support/encrypted-upload.ts';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { link, made, makeIdentity, proofTypeId } from '../../../test/support/paperwork.ts';
import { loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openFile } from '../../interfaces/platform/identities/open-file.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { readOnlyStore } from './object-store.ts';
import { partBytes, type S3Config, s3Store } from './s3-store.ts';

/** Tries again at once. */
const storeOf = (config: S3Config) => s3Store(config, [1, 1]);
const s3 = useOpened(() => startS3Server());
const server = useOpened(async () => {
  const opened = await startTestServer({ account: { balance: '100' }, objects: storeOf(s3.config) });
  await loadPaperworkCatalogue(opened);
  return opened;
});
beforeEach(() => {
  s3.failBy(() => null);
});

const reviewer = { kind: 'named', id: 'test' } as const;

/** Every request is refused from now on. */
const storageIsDown = () => {
  s3.failBy(() => 503);
};
async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const jobs = (task: string) => server.env.pool.query('select j.last_error from jobs j where j.task = $1', [task]);

async function stored(key: string, bytes: Buffer, chunk = 65_536): Promise<void> {
  const writer = storeOf(s3.config).write(key);
  for (let at = 0; at < bytes.length; at += chunk) await writer.write(bytes.subarray(at, at + chunk));
  await writer.finish();
}

test('small objects are one request, large ones are sent part by part, and ranges are read', async () => {
  const store = storeOf(s3.config);
  const before = s3.requests.length;
  await stored('a/small', Buffer.from('some bytes'));
  expect(s3.requests.slice(before)).toEqual(['PUT /files/a/small']);
  expect(String(await whole(await store.read('a/small', 5, 9)))).toBe('bytes');
  const large = randomBytes(2 * partBytes + 1234);
  await stored('a/large', large);
  expect(s3.requests.filter((request) => request.includes('partNumber='))).toHaveLength(3);
  expect((await whole(await store.read('a/large', 0, large.length - 1))).equals(large)).toBe(true);
  expect(
    (await whole(await store.read('a/large', partBytes - 3, partBytes + 3))).equals(
      large.subarray(partBytes - 3, partBytes + 4),
    ),
  ).toBe(true);
  for (const key of ['a/small', 'a/large', 'a/large']) await store.delete(key);
  expect(await s3.keys()).toEqual([]);
});

test('a wrong secret is refused, and the error says what the store said', async () => {
  const writer = storeOf({ ...s3.config, secretKey: 'wrong' }).write('a/b');
  await writer.write(Buffer.from('x'));
  const error = await writer.finish().catch((thrown: unknown) => thrown);
  expect(isUnavailable(error)).toBe(true);
  expect(String(error)).toContain('object storage failed: S3 returned 403');
  expect(String(error)).not.toContain('wrong');
});

test('failures that pass are tried again; an upload that fails for good is aborted', async () => {
  const failures: (503 | 'cut')[] = [503, 'cut'];
  s3.failBy((request) => (request.includes('partNumber=2') ? (failures.shift() ?? null) : null));
  const bytes = randomBytes(partBytes * 2);
  await stored('b/again', bytes, partBytes);
  expect((await whole(await storeOf(s3.config).read('b/again', 0, bytes.length - 1))).equals(bytes)).toBe(true);
  await storeOf(s3.config).delete('b/again');
  s3.failBy((request) => (request.includes('partNumber=2') ? 500 : null));
  const writer = storeOf(s3.config).write('b/failed');
  await writer.write(bytes.subarray(0, partBytes));
  await expect(writer.write(bytes.subarray(partBytes))).rejects.toThrow('S3 returned 500');
  await writer.abort();
  expect(s3.requests.at(-1)).toMatch(/^DELETE \/files\/b\/failed\?uploadId=/);
  expect(await s3.keys()).toEqual([]);
});

test('an upload is an object, is opened for review, and is deleted when nothing holds it', async () => {
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(partBytes)]);
  const fileId = await uploadedFile(server, server.key, content);
  expect(await s3.keys()).toHaveLength(1);
  const { rows } = await server.env.pool.query('select count(*)::int as n from stored_file_chunks');
  expect(rows).toEqual([{ n: 0 }]);
  const proof = await made(
    server.client,
    'proofs',
    {},
    {
      proof_type: link('proof_types', await proofTypeId(server, 'Personal', 'Passport')),
      entity: link('identities', await makeIdentity(server.client)),
      files: [link('encrypted_files', fileId)],
    },
  );
  const { id } = await server.env.db
    .selectFrom('kept_files')
    .select('id')
    .where('proof_id', '=', proof)
    .executeTakeFirstOrThrow();
  const opened = await openFile(server.env, id, reviewer);
  expect((await whole(opened?.content ?? (async function* () {})())).equals(content)).toBe(true);
  await advanceClock(server.env, 86_401);
  expect(await s3.keys()).toHaveLength(1);
  storageIsDown();
  await expect(openFile(server.env, id, reviewer)).rejects.toThrow('S3 returned 503');
  // The record goes at once; the object as soon as the storage is back.
  await server.client.delete(`/proofs/${proof}`);
  await runDueJobs(server.env);
  expect((await jobs('objects.delete')).rows).toMatchObject([
    { last_error: expect.stringContaining('S3 returned 503') },
  ]);
  s3.failBy(() => null);
  await advanceClock(server.env, 3600);
  expect(await s3.keys()).toEqual([]);
  expect((await jobs('objects.delete')).rows).toEqual([]);
});

test('while the storage is down an upload is 503 and leaves nothing', async () => {
  storageIsDown();
  const keys = await testKeys(server.env);
  const form = uploadForm(encryptFile('%PDF-1.4', keys), keys.fingerprint);
  const response = await upload(server, server.key, form);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  const { rows } = await server.env.pool.query('select count(*)::int as n from stored_files');
  expect(rows).toEqual([{ n: 0 }]);
});

const exportOf = (id: string) => server.client.get(`/exports/${id}`);
async function requestExport(): Promise<string> {
  const filters = { from: '2026-06-01 00:00:00', to: '2026-06-15 12:00:00' };
  const attributes = { export_type: 'cdr_in', filters };
  return (await server.client.post('/exports', { data: { type: 'exports', attributes } })).resource.id;
}
const download = async (id: string, headers: Record<string, string> = {}) => {
  const { url } = (await exportOf(id)).resource.attributes;
  return checkedFetch(String(url), { headers: { 'api-key': server.key, ...headers } });
};

test('an export waits for the storage, is downloaded from it, and deleted with its record', async () => {
  storageIsDown();
  const id = await requestExport();
  await runDueJobs(server.env);
  expect((await exportOf(id)).resource.attributes.status).toBe('processing');
  expect((await jobs('exports.make')).rows).toMatchObject([
    { last_error: expect.stringContaining('object storage failed') },
  ]);
  s3.failBy(() => null);
  await advanceClock(server.env, 3600);
  expect((await exportOf(id)).resource.attributes.status).toBe('completed');
  expect(await s3.keys()).toEqual([expect.stringMatching(/^sandbox\/exports\//)]);
  const { rows } = await server.env.pool.query('select count(*)::int as n from export_pieces');
  expect(rows).toEqual([{ n: 0 }]);
  const file = Buffer.from(await (await download(id)).arrayBuffer());
  expect(gunzipSync(file).toString()).toMatch(/^Date\/Time Start/);
  const part = await download(id, { range: 'bytes=10-' });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(10))).toBe(true);
  storageIsDown();
  const failed = await download(id);
  expect([failed.status, failed.headers.get('content-disposition')]).toEqual([503, null]);
  s3.failBy(() => null);
  await advanceClock(server.env, 32 * 86_400);
  expect(await s3.keys()).toEqual([]);
});

test('objects of attempts that were replaced are deleted, and a world deletes none of the sandbox', async () => {
  const id = await requestExport();
  await runDueJobs(server.env);
  const [first] = await s3.keys();
  await server.env.db
    .updateTable('exports')
    .set({ object_key: 'sandbox/exports/other' })
    .where('id', '=', id)
    .execute();
  await runDueJobs(server.env);
  expect(await s3.keys()).toEqual([]);
  expect(s3.requests).toContain(`DELETE /files/${first}`);
  const world = readOnlyStore(storeOf(s3.config));
  await stored('c/kept', Buffer.from('kept'));
  await world.delete('c/kept');
  expect(world.isWritable).toBe(false);
  expect(String(await whole(await world.read('c/kept', 0, 3)))).toBe('kept');
});
