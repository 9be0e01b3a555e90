/** Opening uploaded files, with keys of today and of before. */
import { constants, createCipheriv, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { encryptFile, testKeys, upload, uploadForm } from '../../../../test/support/encrypted-upload.ts';
import { createTestEnvironment } from '../../../../test/support/environment.ts';
import { link, made, makeIdentity, makePaperwork, proofTypeId } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { reviewQueue, showSubmission } from '../regulation/review-queue.ts';
import { decrypt, documentTypeOf, onlyDocuments, UnreadableFile } from './encryption.ts';
import { currentKeys, fingerprintOf, privateKeysFor, rotateKeys } from './key-pairs.ts';
import { openFile } from './open-file.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100' } }));
beforeAll(() => loadPaperworkCatalogue(server));

const jpgFile = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), randomBytes(900_000)]);
const pngFile = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(100)]);

const rita = { kind: 'named', id: 'rita' } as const;

/** The id by which a reviewer opens a proof's file with exactly these encrypted bytes. */
async function keptFile(blob: Buffer): Promise<string> {
  const { fingerprint } = await testKeys(server.env);
  const response = await upload(server, server.key, uploadForm(blob, fingerprint));
  const { data } = (await response.json()) as { data: { id: string } };
  const proof = await made(
    server.client,
    'proofs',
    {},
    {
      proof_type: link('proof_types', await proofTypeId(server, 'Personal', 'Passport')),
      entity: link('identities', await makeIdentity(server.client)),
      files: [link('encrypted_files', data.id)],
    },
  );
  const { id } = await server.env.db
    .selectFrom('kept_files')
    .select('id')
    .where('proof_id', '=', proof)
    .executeTakeFirstOrThrow();
  return id;
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const auditOf = (id: string) =>
  server.env.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'account_id', 'details'])
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute();

test.each([
  ['application/pdf', Buffer.from('%PDF-1.7\n…')],
  ['image/jpeg', jpgFile],
  ['image/png', pngFile],
] as const)('a reviewer reads a %s exactly as it was sent, and the log says who', async (type, content) => {
  const id = await keptFile(encryptFile(content, await testKeys(server.env)));
  const opened = await openFile(server.env, id, rita);
  expect(opened?.type).toBe(type);
  expect((await whole(opened?.content ?? noBytes())).equals(content)).toBe(true);
  expect(await auditOf(id)).toEqual([
    { action: 'file.opened', actor: 'rita', account_id: server.accountId, details: {} },
  ]);
});

test('files for keys that were rotated away still open', async () => {
  const id = await keptFile(encryptFile(pngFile, await testKeys(server.env)));
  await rotateKeys(server.env, 1024);
  expect((await whole((await openFile(server.env, id, rita))?.content ?? noBytes())).equals(pngFile)).toBe(true);
});

describe('what cannot be opened says why, gives nothing out, and is in the log', () => {
  test.each([
    ['too_short', async () => Buffer.from('short')],
    ['not_whole_blocks', async () => encryptFile(pngFile, await testKeys(server.env)).subarray(0, -1)],
    ['foreign_key', async () => encryptFile(pngFile, foreignKeys())],
    ['foreign_key', async () => withSecret(randomBytes(47))],
    ['foreign_key', async () => withPkcs1()],
    ['not_a_document', async () => encryptFile('MZ a program', await testKeys(server.env))],
    ['not_a_document', async () => encryptFile('', await testKeys(server.env))],
  ] as const)('%s', async (problem, make) => {
    const id = await keptFile(await make());
    await expect(openFile(server.env, id, rita)).rejects.toMatchObject({ problem });
    expect((await auditOf(id)).map(({ action, details }) => [action, details])).toEqual([
      ['file.opened', {}],
      ['file.unreadable', { problem }],
    ]);
  });

  test('wrong_padding, found at the end of the stream', async () => {
    const blob = encryptFile(jpgFile, await testKeys(server.env));
    blob.writeUInt8(blob.readUInt8(blob.length - 17) ^ 0xff, blob.length - 17);
    const id = await keptFile(blob);
    const opened = await openFile(server.env, id, rita);
    await expect(whole(opened?.content ?? noBytes())).rejects.toMatchObject({ problem: 'wrong_padding' });
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['file.opened', 'file.unreadable']);
  });

  test('there is no such file', async () => {
    expect(await openFile(server.env, '00000000-0000-4000-8000-000000000000', rita)).toBeNull();
  });
});

test('the log can only be added to', async () => {
  await expect(server.env.pool.query('delete from audit_log')).rejects.toThrow('append only');
  await expect(server.env.pool.query(`update audit_log set actor = 'nobody'`)).rejects.toThrow('append only');
});

test('either key opens a file, whatever the chunks it comes in', async () => {
  const keys = await testKeys(server.env);
  const blob = encryptFile(jpgFile, keys);
  const both = await privateKeysFor(server.env, keys.fingerprint);
  if (!both) throw new Error('the keys are there');
  for (const size of [1000, 128, 4096, blob.length]) {
    expect((await whole(decrypt(cut(blob, size), blob.length, both))).equals(jpgFile)).toBe(true);
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const own = { keys: [both.keys[0], privateKey], modulusBytes: [128, 256] } as const;
  const mixed = encryptFile(jpgFile, { pems: [keys.pems[0], pem] });
  for (const lost of [0, 128]) {
    const damaged = Buffer.from(mixed);
    damaged.fill(0, lost, lost + 64);
    expect((await whole(decrypt(cut(damaged, 999), damaged.length, own))).equals(jpgFile)).toBe(true);
  }
});

test('keys are sealed at rest, and are published with the fingerprint of the contract', async () => {
  const { publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  expect(fingerprintOf(publicKey)).toMatch(/^[0-9a-f]{40}$/);
  expect(fingerprintOf(publicKey.replaceAll('\n', '\r\n'))).toBe(fingerprintOf(publicKey));
  const stored = await server.env.db.selectFrom('encryption_keys').select('sealed_private_key').execute();
  for (const { sealed_private_key } of stored) expect(sealed_private_key).not.toContain('PRIVATE KEY');
  const [first] = await currentKeys(server.env);
  expect(first?.public_key).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\s\S]+\n-----END PUBLIC KEY-----\n$/);
});

test('processes that make the first keys at the same moment end with the same ones', async () => {
  const { env, close } = await createTestEnvironment();
  const made = await Promise.all([
    currentKeys(env, 1024),
    currentKeys({ ...env, generatedKeys: {} }, 1024),
    currentKeys({ ...env, generatedKeys: {} }, 1024),
  ]);
  expect(made[0]).toHaveLength(2);
  expect(made[1]).toEqual(made[0]);
  expect(made[2]).toEqual(made[0]);
  await close();
});

test('documents are told apart by how they begin', () => {
  expect(documentTypeOf(Buffer.from('junk before %PDF-1.4'))).toBe('application/pdf');
  expect(documentTypeOf(Buffer.from('<html>'))).toBeNull();
  expect(documentTypeOf(Buffer.alloc(0))).toBeNull();
  expect(new UnreadableFile('foreign_key').message).toContain('another key');
});

test('one byte at a time is enough to know a document', async () => {
  const types: string[] = [];
  expect((await whole(onlyDocuments(cut(pngFile, 1), (type) => types.push(type)))).equals(pngFile)).toBe(true);
  expect(types).toEqual(['image/png']);
});

test('the queue shows what waits, and each submission everything a reviewer needs', async () => {
  const { address } = await makePaperwork(server);
  const dids = await buyNumbers(server, server.client, 'Berlin', 2);
  const id = await made(
    server.client,
    'address_verifications',
    {},
    {
      address: link('addresses', address),
      dids: dids.map((did) => link('dids', did)),
    },
  );
  const [entry] = await reviewQueue(server.env);
  expect(entry).toMatchObject({
    type: 'address_verifications',
    id,
    account: 'Account 1',
    identity: 'Jane Doe',
    city: 'Berlin',
    country: 'Germany',
    numbers: 2,
  });
  const shown = await showSubmission(server.env, entry?.reference.toLowerCase() ?? '');
  expect(shown).toMatchObject({
    id,
    status: 'pending',
    identity: { last_name: 'Doe', country: null, birth_date: '1990-02-03' },
    address: { postal_code: '10117', country: 'Germany' },
  });
  expect(shown?.numbers).toHaveLength(2);
  expect(shown?.files.map((file) => file.of)).toEqual(['Address proof: Utility Bill', 'Personal proof: Passport']);
  expect(await showSubmission(server.env, 'AAA-000000')).toBeNull();
});

async function* noBytes(): AsyncGenerator<Buffer> {}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function foreignKeys() {
  const pem = () =>
    generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { pems: [pem(), pem()] as const };
}

/** A file whose wrapped secret has the wrong length. */
async function withSecret(secret: Buffer): Promise<Buffer> {
  const { pems } = await testKeys(server.env);
  const wrap = (key: string) =>
    publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, secret);
  return Buffer.concat([...pems.map(wrap), randomBytes(32)]);
}

/** A file wrapped with the older padding. */
async function withPkcs1(): Promise<Buffer> {
  const { pems } = await testKeys(server.env);
  const cipher = createCipheriv('aes-256-cbc', randomBytes(32), randomBytes(16));
  const wrap = (key: string) => publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, randomBytes(48));
  return Buffer.concat([...pems.map(wrap), cipher.update('x'), cipher.final()]);
}
