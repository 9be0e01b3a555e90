/** `npm pack` gives a package that runs: installed into an empty folder, it starts everything as a clone does. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { waitForReadyFile } from './support/trunkline.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-package-'));
  await chmod(folder, 0o755);
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root });
  await installFromCache(JSON.parse(stdout)[0]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** As a person does it, who has nothing but the file. */
async function installFromCache({ filename, files }: Packed): Promise<void> {
  const names = files.map((file) => file.path);
  expect(names.filter((name) => /\.test\.ts|^(src|test|web|scripts)\//.test(name))).toEqual([]);
  // What an operator needs beside the program, and what licences ask for.
  const promised = ['deploy/systemd/trunkline.service', 'compose.yaml', 'edge/kamailio.cfg', 'LICENSE', 'SECURITY.md'];
  const licences = ['dist/web/dist/licences.md', 'dist/program/licences.txt'];
  expect([...promised, ...licences].filter((name) => !names.includes(name))).toEqual([]);
  await expect(stat(path.join(root, 'npm-shrinkwrap.json'))).rejects.toThrow('ENOENT');
  // As docs/deploy.md has it. The lock file inside is what `npm ci` goes by; npm ignores it when it installs the file
  // as a whole.
  await run('tar', ['xzf', filename, '--strip-components=1'], { cwd: folder });
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], { cwd: folder });
}

it('installs the versions that were tested here, whatever is newest', async () => {
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')).packages;
  const locked = await read(path.join(root, 'package-lock.json'));
  const installed = Object.entries<{ version: string }>(
    await read(path.join(folder, 'node_modules/.package-lock.json')),
  );
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.filter(([place, { version }]) => locked[place]?.version !== version)).toEqual([]);
});

it('starts from nothing, serves both interfaces and the panel, runs the programs beside it, and stops', async () => {
  const readyFile = path.join(folder, 'ready.json');
  const child = spawn(path.join(folder, 'bin/trunkline.cjs'), [], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      TRUNKLINE_PORT: 'off',
      TRUNKLINE_SANDBOX_PORT: '0',
      TRUNKLINE_READY_FILE: readyFile,
    },
  });
  onTestFinished(() => void child.kill());
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const { environments } = await waitForReadyFile(child, readyFile, () => errors);
  // The demo account, made on the database that the first of the other programs has filled.
  const { sandbox } = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  const headers = { 'api-key': sandbox.accounts[0].api_keys[0].key, 'content-type': 'application/json' };
  const ask = (place: string, init: RequestInit = {}) =>
    fetch(`${environments.sandbox?.url}${place}`, { headers, ...init });

  expect(await (await ask('/v3/countries')).json()).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ type: 'countries' })]),
  });
  expect(await (await ask('/')).text()).toMatch(/<script type="module"[^>]* src="\/assets\//);
  expect((await ask('/openapi.json')).status).toBe(200);
  const pages = await (await ask('/docs/guides/errors')).text();
  expect(
    (await ask(new URL(/src="([^"]+)"/.exec(pages)?.[1] ?? '', 'http://x/docs/guides/errors').pathname)).status,
  ).toBe(200);
  // In a thread.
  const saved = await ask('/sandbox/v1/snapshots', { method: 'POST', body: '{"name":"first"}' });
  expect([saved.status, await saved.text()]).toMatchObject([201, expect.stringContaining('first')]);
  expect((await (await ask('/sandbox/v1/snapshots/first')).bytes()).byteLength).toBeGreaterThan(10_000);
  // Made by another program.
  const keys = async (): Promise<unknown> => (await ask('/v3/public_keys')).json();
  await expect.poll(keys, { timeout: 120_000 }).toMatchObject({ data: [{}, {}] });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(errors).toBe('');
});
