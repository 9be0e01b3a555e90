/** The signing programs of the verification guide, run against the published vectors and a server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/interfaces/verification/application.writes.ts';
import { calloutTexts, smsTemplates } from '../../src/interfaces/verification/languages.ts';
import { request } from '../support/verification-client.ts';
import { startVerificationServer, type VerificationServer } from '../support/verification-server.ts';

const run = promisify(execFile);
const guide = await readFile(new URL('../../docs/guides/verification.md', import.meta.url), 'utf8');
let folder: string;
let server: VerificationServer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-signing-'));
  server = await startVerificationServer();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const secretB = '31m-CahIKK3u6hpRgs4-MGRtTm9_znlUWAzMNA_9_2s';
const secretC = '3Gv1lbjg4AoJG3g8ZPhlsmTRb8_dYjmL_PXX65E-xq4';
const id = '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d';
const start = '{"data":{"destination":"+15555550100","delivery_method":"sms","sms":{"languages":["en-US"]}}}';
const report = '{"data":{"delivery_method":"sms","code":"123456"}}';
const callback = `{"event":"verification_request","data":{"id":"${id}","destination":"15555550100","delivery_method":"sms"}}`;

/** Contract 5.1 and 5.2: secret, method, path, timestamp, body, signature. */
const testVectors = [
  [secretB, 'POST', '/api/v1/verifications', '1767225600', start, 'BsCRCSiIoYaCAx4e6zW6EiIlasXkKO9Hp0rRCkRnsQ8='],
  [secretB, 'GET', `/api/v1/verifications/${id}`, '1767225601', '', 'YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI='],
  [
    secretC,
    'PATCH',
    `/api/v1/verifications/${id}`,
    '1767225603',
    report,
    'AVQS59i8KsEc8Ai182N1kA8cbtIUusghs0ekP5m5bmk=',
  ],
  [secretC, 'POST', '/webhooks/verification', '1767225605', callback, 'l2XcvVWAV1daqJ7fsS/rRhzB7aRH7WLopiFTu7wvG8I='],
  [secretC, 'POST', '', '1767225606', callback, 'I19Pndt4VZ64GQ837VpySh5XsC/JASIIROOKjRfTzws='],
  [
    secretB,
    'GET',
    '/api/v1/verifications/not%20a%2Fuuid',
    '1767225607',
    '',
    'eukUr83Mz46Zpd0CNi6jOgwMdlbQfIoPKycjkVlBxoU=',
  ],
] as const;

const guidePrograms = [
  ['js', process.execPath, 'sign.mjs'],
  ['python', 'python3', 'sign.py'],
  ['java', 'java', 'Sign.java'],
  ['perl', 'perl', 'sign.pl'],
  ['bash', 'bash', 'sign.sh'],
] as const;

describe.each(guidePrograms)('the program in %s', (language, program, file) => {
  const sign = async (...words: readonly string[]): Promise<string> =>
    (await run(program, [path.join(folder, file), ...words])).stdout.trim();
  beforeAll(async () => {
    const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1];
    if (code === undefined) throw new Error(`the guide has no program in ${language}`);
    await writeFile(path.join(folder, file), code);
  });

  it('signs as the published vectors', async () => {
    for (const [secret, method, target, timestamp, body, signature] of testVectors) {
      expect(await sign(secret, method, target, timestamp, body)).toBe(signature);
    }
  });

  it('signs what the server accepts', async () => {
    const { key, secret } = await createApplication(server.env, server.accountId, {
      name: language,
      minimumMode: 'application',
    });
    const destination = `4915200000${String(guidePrograms.findIndex(([name]) => name === language)).padStart(3, '0')}`;
    const body = JSON.stringify({ data: { destination, delivery_method: 'sms', sms: { languages: ['ja-JP'] } } });
    const target = '/api/v1/verifications';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = await sign(secret.reveal(), 'POST', target, timestamp, body);
    const started = await request(server.url, 'POST', target, body, {
      'content-type': 'application/json',
      authorization: `Application ${key}:${signature}`,
      'x-timestamp': timestamp,
    });
    expect([started.status, started.body.data?.status]).toEqual([201, 'pending']);
  });
});

it('lists the languages that there are', () => {
  expect(/^- Text messages: ([\s\S]+?)\n- /m.exec(guide)?.[1]?.split(/\s+/)).toEqual(Object.keys(smsTemplates));
  expect(/^- Calls: ([\s\S]+?)\n\n/m.exec(guide)?.[1]?.split(/\s+/)).toEqual(Object.keys(calloutTexts));
});
