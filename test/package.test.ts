/** `npm pack` gives a package that runs: installed into an empty folder, it starts everything as a clone does. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
  integrity: string;
  files: { path: string }[];
}

/** With the locked versions of this repository, so that npm finds in its cache what `npm ci` has put there. */
async function installFromCache({ filename, integrity, files }: Packed): Promise<void> {
  expect(files.map((file) => file.path).filter((name) => /\.test\.|^(src|test|web|scripts)\//.test(name))).toEqual([]);
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const { '': own, ...packages } = lock.packages;
  const manifest = { dependencies: { trunkline: `file:${filename}` } };
  const used = Object.entries<{ dev?: boolean }>(packages).filter(([, { dev }]) => dev !== true);
  const { version, dependencies, optionalDependencies, bin } = own;
  const trunkline = { version, resolved: `file:${filename}`, integrity, dependencies, optionalDependencies, bin };
  const locked = { '': manifest, 'node_modules/trunkline': trunkline, ...Object.fromEntries(used) };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: locked }));
  await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
}

it('serves both interfaces and the panel from built files, makes encryption keys, and stops', async () => {
  const key = 'the key of the package test';
  const bootstrap = path.join(folder, 'bootstrap.json');
  const accounts = [{ name: 'Acme', balance: '12.50', api_keys: [{ name: 'ci', key }] }];
  await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts } }));
  const readyFile = path.join(folder, 'ready.json');
  const child = spawn(path.join(folder, 'node_modules/.bin/trunkline'), [], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      TRUNKLINE_PORT: 'off',
      TRUNKLINE_SANDBOX_PORT: '0',
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_READY_FILE: readyFile,
    },
  });
  onTestFinished(() => void child.kill());
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const { environments } = await waitForReadyFile(child, readyFile, () => errors);
  const ask = (place: string) => fetch(`${environments.sandbox?.url}${place}`, { headers: { 'api-key': key } });

  const balance = await ask('/v3/balance');
  expect(await balance.json()).toMatchObject({ data: { attributes: { balance: '12.50' } } });
  expect(await (await ask('/')).text()).toMatch(/<script type="module"[^>]* src="\/assets\//);
  expect((await ask('/openapi.json')).status).toBe(200);
  // Made by a second program.
  const keys = async (): Promise<unknown> => (await ask('/v3/public_keys')).json();
  await expect.poll(keys, { timeout: 120_000 }).toMatchObject({ data: [{}, {}] });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(errors).toBe('');
});
