/** The layout that CONTRIBUTING.md asks for: purpose comments, short files, flat folders, no export that nobody imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Source file → its text; types that are written by hand for JavaScript too. */
const texts = new Map(
  ['src', 'scripts', 'bench', 'test', 'web', 'packages']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !/node_modules|dist\//.test(name))
        .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`),
    )
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);

test('every file begins with what it is for', () => {
  expect(texts.size).toBeGreaterThan(1_000);
  expect([...texts].filter(([, text]) => !/^(#!.*\n)?\/\*\*/.test(text)).map(([file]) => file)).toEqual([]);
});

test('no file of the program is longer than 300 lines, or in a folder of a folder of a room', () => {
  const program = [...texts].filter(([file]) => file.startsWith('src/') && !/\.(test|fixture)\.ts$/.test(file));
  expect(program.filter(([, text]) => text.split('\n').length > 301).map(([file]) => file)).toEqual([]);
  expect(program.filter(([file]) => file.split('/').length > 4).map(([file]) => file)).toEqual([]);
});

test('constants are written like other names', () => {
  const shouted = /^(?:export )?(?:const|let) [A-Z][A-Z0-9_]+\b/m;
  expect([...texts].filter(([, text]) => shouted.test(text)).map(([file]) => file)).toEqual([]);
});

/** Each has its reason in docs/decisions/sql.md. */
const ownTransactions = [
  'src/b2bua/registrations.ts',
  'src/catalogue/bulk-write.ts',
  'src/catalogue/export.ts',
  'src/db/migrate.ts',
  'src/db/transaction.ts',
  'src/money/ledger-checks.ts',
  'src/voice/channels.ts',
  'src/worlds/copy-database.ts',
  'src/worlds/load-snapshot.ts',
  'src/worlds/save-snapshot.ts',
];

test('transactions are opened in one way', () => {
  const opening = /\.transaction\(\)|query\('begin/;
  const program = [...texts].filter(([file]) => file.startsWith('src/') && !/\.(test|fixture)\.ts$/.test(file));
  expect(program.flatMap(([file, text]) => (opening.test(text) ? [file] : [])).sort()).toEqual(ownTransactions);
});

test('what a file exports is imported by another', () => {
  const targetOf = (file: string, name: string) => path.posix.join(path.posix.dirname(file), name);
  const imported = new Set<string>();
  for (const [file, text] of texts) {
    const clauses = text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']+)'/g);
    for (const [, clause = '', name = ''] of clauses) {
      for (const part of clause.split(',')) {
        imported.add(
          `${targetOf(file, name)} ${
            part
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0]
          }`,
        );
      }
    }
    // A module as a whole: what is used of it stands in the same file.
    for (const [, name = ''] of text.matchAll(/(?:\* as \w+ from|import\()\s*'(\.[^']+)'/g)) {
      for (const [word] of text.matchAll(/\w+/g)) imported.add(`${targetOf(file, name)} ${word}`);
    }
  }
  const exported = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/^export (?:async |abstract )*(?:const|let|function\*?|class|interface|type) (\w+)/gm)].map(
      ([, name = '']) => `${file} ${name}`,
    ),
  );
  expect(exported.length).toBeGreaterThan(1_000);
  // Called by Vitest; called by the test of the package in its JavaScript; generated; for users of a package.
  const known =
    /^test\/support\/database-server\.ts |^src\/platform\/identities\/key-pairs\.ts generateKeyPair$|^src\/db\/tables\/|^packages\/.*\.d\.ts /;
  expect(exported.filter((name) => !imported.has(name) && !known.test(name))).toEqual([]);
});
