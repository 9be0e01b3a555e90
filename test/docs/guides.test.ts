/** The commands of the guides are run against a fresh start of the program, and their code against signed payloads. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signCallback } from '../../src/business/callbacks/callback-request.ts';
import { decrypt } from '../../src/interfaces/platform/identities/encryption.ts';
import { fingerprintOf } from '../../src/interfaces/platform/identities/key-pairs.ts';
import { guideFile, guides } from '../../src/interfaces/server/docs/document.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-guides-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function blocks(guide: string, language: string): Promise<string[]> {
  const text = await readFile(guideFile(guide), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, found, code]) =>
    found === language && code !== undefined ? [code] : [],
  );
}

describe('the commands of the guides', () => {
  let program: Trunkline;
  const variables: Record<string, string> = {};
  beforeAll(async () => {
    program = startTrunkline(folder, { TRUNKLINE_PORT: 'off', TRUNKLINE_SANDBOX_ORDER_SECONDS: '' });
    const { environments } = await program.ready();
    const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
    variables.API = environments.sandbox?.url ?? '';
    variables.KEY = demo.sandbox.accounts[0].api_keys[0].key;
  });
  afterAll(() => program?.stop());

  test.each(guides)('%s', async (guide) => {
    const script = (await blocks(guide, 'sh')).join('\n');
    if (script === '') return;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      env: { ...process.env, ...variables },
      timeout: 240_000,
    });
    if (guide === 'first-number') expect(stdout).toMatch(/^You own \+44\d+\ncompleted\n$/);
    if (guide === 'paging-and-filters') expect(stdout).toMatch(/Berlin[\s\S]*London[\s\S]*Paris/);
    if (guide === 'sandbox') expect(stdout).toContain('"offset_seconds":3600');
  });

  test('the code of the paperwork guide encrypts what a reviewer can open, and uploads it', async () => {
    const { encrypt, fingerprint, upload } = await paperworkCode();
    const document = Buffer.from('%PDF-1.4 a passport');
    const pairs = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
    const [a, b] = pairs.map(({ publicKey }) => publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const [first, second] = pairs.map(({ privateKey }) => privateKey);
    if (!a || !b || !first || !second) throw new Error('two pairs were made');
    expect(fingerprint([a, b])).toBe(`${fingerprintOf(a)}:::${fingerprintOf(b)}`);
    const encrypted = encrypt(document, [a, b]);
    const opened = decrypt(Readable.from([encrypted]), encrypted.length, {
      keys: [first, second],
      modulusBytes: [256, 256],
    });
    expect(await buffer(opened)).toEqual(document);

    const { API = '', KEY = '' } = variables;
    const id = await upload(API, KEY, document, 'Passport');
    const stored = await fetch(`${API}/v3/encrypted_files/${id}`, { headers: { 'api-key': KEY } });
    expect(await stored.json()).toMatchObject({ data: { attributes: { description: 'Passport' } } });
  });
});

interface PaperworkCode {
  encrypt(file: Buffer, pems: readonly string[]): Buffer;
  fingerprint(pems: readonly string[]): string;
  upload(api: string, key: string, file: Buffer, description: string): Promise<string>;
}

async function paperworkCode(): Promise<PaperworkCode> {
  const file = path.join(folder, 'paperwork.mjs');
  await writeFile(file, (await blocks('paperwork', 'js')).join('\n'));
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

describe('the callback guide verifies signatures in', () => {
  const payload = { id: '1dd7a68b-e235-402b-8912-fe73ee14243a', status: 'completed', type: 'orders' };
  const cases = [
    ['SOMEAPIKEY', 'http://example.com/callbacks', 'fe99e416c3547f2f59002403ec856ea386d05b2f', 'true'],
    ['SOMEAPIKEY', 'http://example.com/callbacks', 'fe99e416c3547f2f59002403ec856ea386d05b20', 'false'],
    ['topsecret', 'https://hooks.example.net/orders?tenant=7', '', 'query'],
  ] as const;
  const withQuery = { id: 'bf2cee72-6caa-4ae2-917e-bea01945691e', status: 'completed', type: 'orders' };
  const querySignature = '13f85fa8e0cc0bb0986f6e567cdb82764828296d';

  /** Secret, URL, payload, signature, and whether it is genuine. */
  const fragmented = 'https://hooks.example.net/orders?tenant=7#eu';
  const signed = signCallback('topsecret', fragmented, [withQuery]);
  const withFragment = { secret: 'topsecret', url: fragmented, payload: withQuery, signature: signed, genuine: 'true' };
  const listed = cases.map(([secret, url, signature, kind]) =>
    kind === 'query'
      ? { secret, url, payload: withQuery, signature: querySignature, genuine: 'true' }
      : { secret, url, payload, signature, genuine: kind },
  );
  const vectors = [...listed, withFragment];
  const expected = vectors.map(({ genuine }) => genuine).join('\n');

  async function codeIn(language: string): Promise<string> {
    const [code] = await blocks('callbacks', language);
    if (code === undefined) throw new Error(`no ${language} in the guide`);
    return code;
  }

  async function outputOf(program: string, file: string, code: string, more: string[] = []): Promise<string> {
    await writeFile(path.join(folder, file), code);
    const { stdout } = await run(program, [...more, path.join(folder, file)]);
    return stdout.trim();
  }

  test('Node', async () => {
    const calls = `for (const v of ${JSON.stringify(vectors)}) console.log(isGenuine(v.secret, v.url, v.payload, v.signature));`;
    expect(await outputOf(process.execPath, 'verify.mjs', `${await codeIn('js')}\n${calls}`)).toBe(expected);
  });

  test('Python', async () => {
    const calls = `import json\nfor v in json.loads(${JSON.stringify(JSON.stringify(vectors))}):\n    print(str(is_genuine(v["secret"], v["url"], v["payload"], v["signature"])).lower())`;
    expect(await outputOf('python3', 'verify.py', `${await codeIn('python')}\n${calls}`)).toBe(expected);
  });

  test('Java', async () => {
    const map = (given: Record<string, string>) =>
      `Map.of(${Object.entries(given)
        .flat()
        .map((word) => JSON.stringify(word))
        .join(', ')})`;
    const calls = vectors.map(
      (v) => `System.out.println(Callback.isGenuine("${v.secret}", "${v.url}", ${map(v.payload)}, "${v.signature}"));`,
    );
    const [imports = '', classes = ''] = (await codeIn('java')).split(/(?=^class )/m);
    const main = `public class Verify { public static void main(String[] a) throws Exception { ${calls.join('\n')} } }`;
    expect(await outputOf('java', 'Verify.java', `${imports}\n${main}\n${classes}`)).toBe(expected);
  });

  test('Perl', async () => {
    const hash = (given: Record<string, string>) =>
      `{ ${Object.entries(given)
        .map(([name, value]) => `${name} => '${value}'`)
        .join(', ')} }`;
    const calls = vectors.map(
      (v) =>
        `print is_genuine('${v.secret}', '${v.url}', ${hash(v.payload)}, '${v.signature}') ? "true\\n" : "false\\n";`,
    );
    expect(await outputOf('perl', 'verify.pl', `${await codeIn('perl')}\n${calls.join('\n')}`)).toBe(expected);
  });

  test('a shell', async () => {
    const calls = vectors.map(
      (v) =>
        `is_genuine '${v.secret}' '${v.url}' '${v.signature}' ${Object.entries(v.payload)
          .map(([name, value]) => `${name}=${value}`)
          .join(' ')} && echo true || echo false`,
    );
    expect(await outputOf('bash', 'verify.sh', `${await codeIn('bash')}\n${calls.join('\n')}`)).toBe(expected);
  });
});
