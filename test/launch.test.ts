/** Calling the program by its own name, with whatever Node the machine has. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const { serverFlags }: { serverFlags: string[] } = createRequire(import.meta.url)('../bin/server-flags.cjs');

/** A repository with the launcher, a main program that tells what it got, and an old `node` on the PATH. */
let folder: string;
let oldNodeFirst: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-launch-'));
  for (const place of ['bin', 'src', 'node_modules/node/bin', 'old']) {
    await mkdir(path.join(folder, place), { recursive: true });
  }
  for (const file of ['launch', 'trunkline', 'server-flags', 'bundles', 'modules', 'program'])
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

describe('below npm, which puts the Node of node_modules first', () => {
  /** Runs the command as the packaged Node would, while npm itself runs on `version` of the machine's. */
  async function runBelowNpm(version: string): Promise<string> {
    const machines = path.join(folder, 'old/machines');
    await writeFile(machines, `#!/bin/sh\necho machine\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const packaged = path.join(folder, 'node_modules/node/bin/node');
    await writeFile(packaged, '');
    const pretend = path.join(folder, 'old/packaged.cjs');
    await writeFile(pretend, `Object.defineProperty(process, 'execPath', { value: '${packaged}' });`);
    const words = ['--require', pretend, path.join(folder, 'bin/trunkline.cjs'), 'keys'];
    const env = {
      PATH: oldNodeFirst,
      npm_node_execpath: machines,
      npm_config_user_agent: `npm/11.0.0 node/v${version} linux x64`,
    };
    return (await run(process.execPath, words, { env })).stdout;
  }

  it("the machine's Node is used if it is new enough", async () => {
    expect(await runBelowNpm('26.1.0')).toBe(`machine\n${process.versions.node} keys\n`);
  });

  it('otherwise the packaged one', async () => {
    expect(await runBelowNpm('22.20.0')).toBe(`${process.versions.node} keys\n`);
  });
});

it('a server gets the flags that bound its memory, also without npm', async () => {
  await writeFile(path.join(folder, 'src/main.ts'), 'console.log(process.execArgv.join());');
  const { stdout } = await run(process.execPath, [path.join(folder, 'bin/trunkline.cjs')], {
    env: { PATH: oldNodeFirst },
  });
  expect(stdout.startsWith(`${serverFlags.join()},`)).toBe(true);
});

it('npm start and the image name the same flags, which saves them a second Node', async () => {
  expect(manifest.scripts.start).toBe(`exec node ${serverFlags.join(' ')} bin/trunkline.cjs serve`);
  const words = ['node', ...serverFlags, '/app/bin/trunkline.cjs'].map((word) => JSON.stringify(word));
  expect(await readFile(path.join(root, 'Dockerfile'), 'utf8')).toContain(`ENTRYPOINT [${words.join(', ')}]`);
});

it.each([
  ['the versions that it was made from', '1.2.3', 'the bundle'],
  ['another version of a package in it', '1.2.4', 'the package'],
])('beside %s a bundle counts or does not', async (_case, version, expected) => {
  for (const [name, installed] of [
    ['kysely', '2.0.0'],
    ['inner', version],
  ] as const) {
    const place = path.join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    const manifest = { name, version: installed, type: 'module', exports: './index.js' };
    await writeFile(path.join(place, 'package.json'), JSON.stringify(manifest));
    await writeFile(path.join(place, 'index.js'), `export const from = 'the package';`);
  }
  // A package that is not in the bundle, and uses one that is.
  await mkdir(path.join(folder, 'node_modules/other'));
  await writeFile(path.join(folder, 'node_modules/other/index.mjs'), `export { from as inside } from 'kysely';`);
  await mkdir(path.join(folder, 'dist/bundles/made'), { recursive: true });
  await writeFile(path.join(folder, 'dist/bundles/made/kysely.mjs'), `export const from = 'the bundle';`);
  const index = { folder: 'made', files: { kysely: 'kysely.mjs' }, versions: { kysely: '2.0.0', inner: '1.2.3' } };
  await writeFile(path.join(folder, 'dist/bundles/index.json'), JSON.stringify(index));
  await writeFile(
    path.join(folder, 'src/main.ts'),
    `import { from } from './kysely.ts';\nimport { inside } from 'other/index.mjs';\nconsole.log(from, inside);`,
  );
  await writeFile(path.join(folder, 'src/kysely.ts'), `export { from } from 'kysely';`);
  for (const words of [[], ['keys']]) {
    const { stdout } = await run(process.execPath, [path.join(folder, 'bin/trunkline.cjs'), ...words], {
      env: { PATH: oldNodeFirst },
    });
    expect(stdout).toBe(`${expected} the package\n`);
  }
});

describe('beside files that were made of the sources', () => {
  const source = () => path.join(folder, 'src/main.ts');
  const program = async () =>
    (await run(process.execPath, [path.join(folder, 'bin/trunkline.cjs'), 'keys'], { env: { PATH: oldNodeFirst } }))
      .stdout;

  beforeEach(async () => {
    await writeFile(source(), `console.log('the source');`);
    await writeFile(path.join(folder, 'src/other.ts'), '');
    const sources: Record<string, [number, number]> = {};
    for (const name of ['src/main.ts', 'src/other.ts']) {
      const { size, mtimeMs } = await stat(path.join(folder, name));
      sources[name] = [size, mtimeMs];
    }
    await mkdir(path.join(folder, 'dist/program/made'), { recursive: true });
    await writeFile(
      path.join(folder, 'dist/program/made/main.mjs'),
      `import './shared.mjs';\nconsole.log('the bundle');`,
    );
    await writeFile(path.join(folder, 'dist/program/made/shared.mjs'), '');
    const index = { folder: 'made', files: { 'src/main.ts': 'main.mjs' }, sources };
    await writeFile(path.join(folder, 'dist/program/index.json'), JSON.stringify(index));
  });

  it('they are run', async () => expect(await program()).toBe('the bundle\n'));

  it('the sources are run if one of them has changed or is gone', async () => {
    await utimes(path.join(folder, 'src/other.ts'), new Date(), new Date(Date.now() + 5_000));
    expect(await program()).toBe('the source\n');
    await rm(path.join(folder, 'src/other.ts'));
    expect(await program()).toBe('the source\n');
  });

  it('they are run where there are no sources', async () => {
    await rm(path.join(folder, 'src'), { recursive: true });
    expect(await program()).toBe('the bundle\n');
  });

  it('the sources are run if the list of files cannot be read', async () => {
    await writeFile(path.join(folder, 'dist/program/index.json'), '{');
    expect(await program()).toBe('the source\n');
  });
});
