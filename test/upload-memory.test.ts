/** Large uploads go through the process without staying in it. */
import { execFile } from 'node:child_process';
import { createPublicKey, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../src/interfaces/platform/identities/key-pairs.ts';
import { createBench } from './support/boot.ts';
import { checkedFetch } from './support/checked-fetch.ts';

const mib = 1024 * 1024;
/** UPLOAD_FILES=50 is a long run. Half of them would not fit either, if they stayed. */
const fileCount = Number(process.env.UPLOAD_FILES ?? 25);
const atOnce = 10;
const { start, migratedDatabases, bootstrapFile } = createBench();
const run = promisify(execFile);

test(`${fileCount} files of 20 MiB, ${atOnce} at a time, keep the process below 400 MiB`, {
  timeout: 400_000,
}, async () => {
  const key = 'a key of sixteen characters or more';
  const server = await start('memory', {
    ...(await migratedDatabases()),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_BOOTSTRAP: await bootstrapFile(key),
    // As it is without a test.
    TRUNKLINE_FILE_KEY_BITS: '4096',
    // How long an upload takes is not this test's to say: its neighbours may keep the processor busy.
    TRUNKLINE_BODY_TIMEOUT: '300000',
    TRUNKLINE_REQUEST_TIMEOUT: '300000',
    TRUNKLINE_DATABASE_WAIT: '300000',
  });
  const url = (await server.ready()).environments.sandbox?.url ?? '';

  const published = (await (await checkedFetch(`${url}/v3/public_keys`)).json()) as {
    data: { attributes: { key: string } }[];
  };
  const pems = published.data.map(({ attributes }) => attributes.key);
  expect(pems.map((pem) => createPublicKey(pem).asymmetricKeyDetails?.modulusLength)).toEqual([4096, 4096]);
  const fingerprint = pems.map(fingerprintOf).join(':::');

  const file = randomBytes(20 * mib);
  let left = fileCount;
  let highest = 0;
  const watch = setInterval(async () => {
    highest = Math.max(highest, await residentMiB(server.pid));
  }, 200);
  const send = async () => {
    while (left-- > 0) expect(await upload(url, key, fingerprint, file)).toBe(201);
  };
  await Promise.all(Array.from({ length: atOnce }, send)).finally(() => clearInterval(watch));
  process.stdout.write(`\nhighest resident size: ${Math.round(highest)} MiB\n`);
  expect(highest).toBeGreaterThan(0);
  expect(highest).toBeLessThan(400);

  const listed = await checkedFetch(`${url}/v3/encrypted_files?page[size]=1`, { headers: { 'api-key': key } });
  expect(((await listed.json()) as { meta: { total_records: number } }).meta.total_records).toBe(fileCount);
});

/** Streams the form, so that this process is not the one that grows. */
function upload(url: string, key: string, fingerprint: string, file: Buffer): Promise<number> {
  const part = (name: string, rest = '') =>
    `--b\r\nContent-Disposition: form-data; name="encrypted_files[${name}]"${rest}\r\n\r\n`;
  const head = `${part('encryption_fingerprint')}${fingerprint}\r\n${part('file', '; filename="x.enc"')}`;
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': key, 'content-type': 'multipart/form-data; boundary=b' };
    const sent = request(`${url}/v3/encrypted_files`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.write(head);
    sent.write(file);
    sent.end('\r\n--b--\r\n');
  });
}

/** The peak where the system tells it, otherwise what it is now. */
async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
  if (peak !== undefined) return Number(peak) / 1024;
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) / 1024;
}
