/** Calling the program by its own name, with whatever Node the machine has. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const ownNodeFirst = `${path.dirname(process.execPath)}:${process.env.PATH}`;

/** A repository with the launcher, a main program that tells what it got, and an old `node` on the PATH. */
let folder: string;
let oldNodeFirst: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-launch-'));
  for (const place of ['bin', 'src', 'node_modules/node/bin', 'old']) {
    await mkdir(path.join(folder, place), { recursive: true });
  }
  for (const file of ['launch', 'trunkline'])
    await copyFile(path.join(root, `bin/${file}.cjs`), path.join(folder, `bin/${file}.cjs`));
  const [shebang = ''] = (await run('head', ['-1', path.join(root, 'src/main.ts')])).stdout.split('\n');
  await writeFile(
    path.join(folder, 'src/main.ts'),
    `${shebang}\nconst words: string[] = process.argv.slice(2);
if (words[0] === 'wait') {
  process.on('SIGTERM', () => process.exit(7));
  setInterval(() => {}, 1000);
}
console.log(process.versions.node, words.join(' '));\n`,
  );
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await chmod(path.join(folder, 'src/main.ts'), 0o755);
  await writeFile(
    path.join(folder, 'old/pretend.cjs'),
    `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`,
  );
  await writeFile(
    path.join(folder, 'old/node'),
    `#!/bin/sh\nexec '${process.execPath}' --require '${folder}/old/pretend.cjs' "$@"\n`,
    { mode: 0o755 },
  );
  oldNodeFirst = `${path.join(folder, 'old')}:${process.env.PATH}`;
});
afterEach(() => rm(folder, { recursive: true }));

/** The Node that `npm ci` brings along. */
async function installNode(): Promise<void> {
  await writeFile(
    path.join(folder, 'node_modules/node/bin/node'),
    `#!/bin/sh\nshift 2\nexec '${process.execPath}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
}

it('src/main.ts is executable, here and in the repository', async () => {
  expect((await stat(path.join(root, 'src/main.ts'))).mode & 0o111).toBe(0o111);
  const { stdout } = await run('git', ['ls-files', '--stage', 'src/main.ts', 'bin/trunkline.cjs'], { cwd: root });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 6)),
  ).toEqual(['100755', '100755']);
});

it('the program runs when it is called by its own name, from any folder', async () => {
  const { stdout } = await run(path.join(root, 'src/main.ts'), ['--version'], { cwd: os.tmpdir() });
  expect(stdout).toBe(`${manifest.version}\n`);
  const linked = path.join(folder, 'trunkline');
  await symlink(path.join(root, manifest.bin.trunkline), linked);
  expect((await run(linked, ['--version'])).stdout).toBe(stdout);
});

it.each(['src/main.ts', 'bin/trunkline.cjs'])('an old Node hands %s over to the one in node_modules', async (file) => {
  await installNode();
  const { stdout } = await run(path.join(folder, file), ['keys', 'list one'], { env: { PATH: oldNodeFirst } });
  expect(stdout).toBe(`${process.versions.node} keys list one\n`);
});

it('passes signals on and ends as the program does', async () => {
  await installNode();
  const child = spawn(path.join(folder, 'bin/trunkline.cjs'), ['wait'], {
    env: { PATH: oldNodeFirst },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

it.each(['src/main.ts', 'bin/trunkline.cjs'])(
  'without it an old Node says of %s what is missing, in one sentence',
  async (file) => {
    const failed = await run(path.join(folder, file), ['serve'], { env: { PATH: oldNodeFirst } }).catch(
      (error) => error,
    );
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^Trunkline needs Node 24 or newer and this is Node 20\.20\.2: [^\n]*\n$/);
  },
);

it('npm start runs the sources with a plain Node, which the signals of npm reach', async () => {
  // Debian's sh does not replace itself with the last command unless it is told to.
  expect(manifest.scripts.start).toBe('exec node bin/trunkline.cjs serve');
});

it('what was compiled is kept below node_modules, also by programs that this one starts', async () => {
  await writeFile(path.join(folder, 'src/main.ts'), 'console.log(process.env.NODE_COMPILE_CACHE);');
  const { stdout } = await run(process.execPath, [path.join(folder, 'bin/trunkline.cjs')], {
    env: { PATH: oldNodeFirst },
  });
  const cache = path.join(folder, 'node_modules/.cache/trunkline');
  expect(stdout).toBe(`${cache}\n`);
  expect(await readdir(cache)).not.toEqual([]);
});

it('where there are no sources, as in the package, what was built of them runs', async () => {
  await rm(path.join(folder, 'src'), { recursive: true });
  await mkdir(path.join(folder, 'dist/program'), { recursive: true });
  await writeFile(path.join(folder, 'dist/program/main.mjs'), `console.log('built', process.argv.slice(2).join(' '));`);
  const { stdout } = await run(path.join(folder, 'bin/trunkline.cjs'), ['keys'], { env: { PATH: ownNodeFirst } });
  expect(stdout).toBe('built keys\n');
});
