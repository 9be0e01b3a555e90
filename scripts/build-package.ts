/**
 * Builds what `npm pack` and the image ship (`prepack` in package.json); a clone does not use it. `dist/program` holds
 * the program with the packages that every start loads, as few files of JavaScript: Node strips no types below
 * `node_modules`, and 1,600 modules cost a start a second. The rest of `dist` is the data that they read, in the layout
 * of the repository.
 */
import { copyFile, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { digestOfBuild, sourceDigest } from '../src/interfaces/panel/web-build.ts';
import { buildPanel } from '../web/build.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const packages = path.join(root, 'node_modules');

/** What is run: the program, and those that it runs beside itself. */
const programs = [
  'src/main.ts',
  'src/run/boot/fill-database.ts',
  'src/interfaces/platform/identities/generate-key-pair.process.ts',
  'src/run/boot/snapshot.thread.ts',
  'src/engines/media/embedded/relay.thread.ts',
];

/** They look for the other program beside the file that they are in, which is a file of `dist/program`. */
const starters = [
  'src/run/boot/filler.ts',
  'src/interfaces/platform/identities/key-pairs.ts',
  'src/run/boot/snapshot-program.ts',
  'src/engines/media/embedded/relay-program.ts',
];

/**
 * Packages that few processes load, when they need them; several read files of their own. They stay in `node_modules`.
 */
const loadedLater = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  '@simplewebauthn/server',
  'dejavu-fonts-ttf',
  'nodemailer',
  'pdfkit',
  's3mini',
];

await rm(dist, { recursive: true, force: true });
if ((await digestOfBuild()) !== (await sourceDigest())) await buildPanel();
await copyData();
const bundled = await bundle();
for (const program of programs) await stat(path.join(dist, 'program', `${path.basename(program, '.ts')}.mjs`));
await writeFile(path.join(dist, 'program/licences.txt'), await licencesOf(bundled));
// The lock file of a package, so that an install gets the versions that were tested here. `postpack` removes it: npm
// would go by it.
await copyFile(path.join(root, 'package-lock.json'), path.join(root, 'npm-shrinkwrap.json'));

async function copyData(): Promise<void> {
  const names = await readdir(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  const data = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'));
  const files = data.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  for (const file of [...files, 'docs/guides', 'web/dist']) {
    await cp(path.join(root, file), path.join(dist, file), { recursive: true });
  }
}

/** Returns the folders of the packages that are in it, below `node_modules`. */
async function bundle(): Promise<string[]> {
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
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: loadedLater },
    plugins: [keepPlaces(), notePackages],
    build: {
      ssr: true,
      outDir: path.join(dist, 'program'),
      minify: false,
      sourcemap: true,
      target: 'node24',
      rollupOptions: {
        input: programs.map((program) => path.join(root, program)),
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name]-[hash].mjs',
          // Their texts would stay in memory.
          comments: false,
        },
      },
    },
  });
  return [...folders].sort();
}

/** Modules find SQL, JSON, audio, guides and pages by their own place, which in the package is below `dist`. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform: (text, id) => {
      const module = path.relative(root, id);
      if (!module.startsWith('src/') || starters.includes(module) || !text.includes('import.meta.')) return null;
      if (text.includes('import.meta.filename'))
        throw new Error(`${module} asks for a file that a bundle does not have`);
      const code = text
        .replaceAll('import.meta.url', `new URL('../${module}', import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${path.dirname(module)}')`);
      return { code, map: null };
    },
  };
}

/** The packages ask that their licences go with them. */
async function licencesOf(folders: readonly string[]): Promise<string> {
  const texts = folders.map(async (folder) => {
    const names = await readdir(path.join(packages, folder));
    const licences = names.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
    const parts = await Promise.all(licences.map((name) => readFile(path.join(packages, folder, name), 'utf8')));
    return `== ${folder}\n\n${parts.join('\n')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}
