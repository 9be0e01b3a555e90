/**
 * Puts the packages that a start or a command loads, some 800 modules, into few files: `dist/bundles`, which bin/bundles.cjs uses instead
 * of the packages. Loading them one by one takes a third of the processor time of a start, and half of that of a command. npm runs this
 * after an install (`prepare`).
 *
 * Two modules are changed on the way. graphile-worker caches the ids of tasks in a map that keeps the options of every worker pool there
 * ever was, 20 KB for each opening of a world (docs/testing.md): here the map is a weak one. find-my-way compiles a function for each
 * part of a path that is shorter than 16 letters, 1,200 of them at a start: here it compares texts, as it does for longer ones.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import { keepBundle } from './keep-bundle.ts';
import { inLatin1 } from './latin1.ts';

const root = path.resolve(import.meta.dirname, '..');
const bundles = path.join(root, 'dist/bundles');
const packages = path.join(root, 'node_modules');

/** What the program imports of them, by the names it uses. */
const bundled = [
  'ajv',
  'ajv-formats',
  'ajv/dist/2020.js',
  'busboy',
  'fastify',
  'graphile-worker',
  'kysely',
  'libphonenumber-js/max',
  'pg',
  'pg-copy-streams',
  'pino',
  'prom-client',
];

/** `index.json`: which file stands for which import, and the packages that are in the files. */
interface Index {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
  /** Folder below `node_modules` → version. */
  readonly versions: Readonly<Record<string, string>>;
  /** When npm last changed `node_modules`: as long as it has not, the versions need not be read. */
  readonly installed: number | null;
}

export async function bundlePackages(): Promise<void> {
  const made = `${bundles}.${process.pid}`;
  // Below node_modules, where the names of packages mean what they mean to the program.
  const entries = path.join(packages, `.bundle-entries.${process.pid}`);
  try {
    await mkdir(entries, { recursive: true });
    const files = await writeEntries(entries);
    const folders = await bundle(entries, files, made);
    requireSameExports(made, files);
    const versions = await versionsOf(folders);
    await writeFile(path.join(made, 'licences.txt'), await licencesOf(folders));
    const installed = await stat(path.join(packages, '.package-lock.json')).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    const index: Omit<Index, 'folder'> = { files, versions, installed };
    await keepBundle(bundles, made, index);
  } finally {
    await rm(made, { recursive: true, force: true });
    await rm(entries, { recursive: true, force: true });
  }
}

/**
 * One module for each import. A bundle of CommonJS has its default only, so the names that Node finds in such a package are written
 * down.
 */
async function writeEntries(folder: string): Promise<Record<string, string>> {
  const exported = exportsOf(bundled);
  const files: Record<string, string> = {};
  for (const specifier of bundled) {
    const file = `${specifier.replaceAll('/', '-').replace(/\.js$/, '')}.mjs`;
    const names = Object.keys(exported[specifier] ?? {});
    const isCommonJs = names.includes('module.exports');
    const whole = isCommonJs
      ? `import whole from '${specifier}';\nexport default whole;\n`
      : `export * from '${specifier}';\n${names.includes('default') ? `export { default } from '${specifier}';\n` : ''}`;
    const named = isCommonJs ? names.filter((name) => !notNames.includes(name)) : [];
    const lines = named.map((name) => `export const ${name} = whole.${name};\n`);
    await writeFile(path.join(folder, file), whole + lines.join(''));
    files[specifier] = file;
  }
  return files;
}

const notNames = ['default', 'module.exports', '__esModule'];

/** Every name that Node finds in a module, with the type of its value; asked of a Node without bundles. */
function exportsOf(modules: readonly string[]): Record<string, Record<string, string>> {
  const program = `const all = {};
    for (const name of ${JSON.stringify(modules)}) {
      all[name] = Object.fromEntries(Object.entries(await import(name)).map(([key, value]) => [key, typeof value]));
    }
    console.log(JSON.stringify(all));`;
  const words = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }));
}

/** A bundle has what its package has, or it is not used. */
function requireSameExports(folder: string, files: Readonly<Record<string, string>>): void {
  const bundleOf = (specifier: string) => pathToFileURL(path.join(folder, files[specifier] ?? '')).href;
  const exported = exportsOf([...bundled, ...bundled.map(bundleOf)]);
  const told = (name: string) =>
    Object.entries(exported[name] ?? {})
      .filter(([key]) => key === 'default' || !notNames.includes(key))
      .sort()
      .join('\n');
  for (const specifier of bundled) {
    if (told(specifier) !== told(bundleOf(specifier))) throw new Error(`the bundle of ${specifier} has other exports`);
  }
}

/** Returns the folders of the packages whose modules are in it, below `node_modules`. */
async function bundle(entries: string, files: Record<string, string>, outDir: string): Promise<string[]> {
  const folders = new Set<string>();
  const notePackages: Plugin = {
    name: 'note-packages',
    moduleParsed: ({ id }) => {
      const [, folder] =
        /^.*?\/node_modules\/((?:@[^/]+\/)?[^/.]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*)\//.exec(id) ?? [];
      if (folder !== undefined) folders.add(folder);
    },
  };
  await build({
    root: entries,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    plugins: [changeModules, notePackages, inLatin1],
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node24',
      rollupOptions: {
        input: Object.values(files).map((file) => path.join(entries, file)),
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: 'shared-[hash].mjs',
          // Names stay as they are. Comments go: their texts stay in memory.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  });
  return [...folders].sort();
}

/** A part of a module's text that is another one in the bundle. */
const changes = [
  {
    module: '/graphile-worker/dist/taskIdentifiers.js',
    from: 'const cacheByOptions = new Map();',
    to: 'const cacheByOptions = new WeakMap();',
  },
  { module: '/find-my-way/lib/node.js', from: 'LONG_PREFIX_MIN_LENGTH = 16', to: 'LONG_PREFIX_MIN_LENGTH = 2' },
];

const changeModules: Plugin = {
  name: 'change-modules',
  transform: (text, id) => {
    const change = changes.find(({ module }) => id.endsWith(module));
    if (change === undefined) return null;
    if (!text.includes(change.from)) throw new Error(`${id} is another one than it was: look again`);
    return { code: text.replace(change.from, change.to), map: null };
  },
};

async function versionsOf(folders: readonly string[]): Promise<Record<string, string>> {
  const read = async (folder: string) => {
    const { version } = JSON.parse(await readFile(path.join(packages, folder, 'package.json'), 'utf8'));
    return [folder, version];
  };
  return Object.fromEntries(await Promise.all(folders.map(read)));
}

/** The files are part of the package that `npm pack` makes, and their licences want to be with them. */
async function licencesOf(folders: readonly string[]): Promise<string> {
  const texts = folders.map(async (folder) => {
    const names = (await readdir(path.join(packages, folder))).filter((name) =>
      /^(licen[cs]e|copying|notice)/i.test(name),
    );
    const parts = await Promise.all(names.map((name) => readFile(path.join(packages, folder, name), 'utf8')));
    return `== ${folder}\n\n${parts.join('\n')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}

if (process.argv[1] === import.meta.filename) await bundlePackages();
