/**
 * The pages read and write what the interface says: their types are those generated from the OpenAPI documents, so a
 * renamed attribute does not compile. Nor does a page that is not in the table of pages.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const pageTables = 'src/interfaces/panel/pages';

type Rewrite = (text: string) => string;

/** Compiles the pages with some files rewritten, and returns those that do not fit any more. */
async function misfits(rewritten: Readonly<Record<string, Rewrite>>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'panel-types-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of ['web/src', pageTables, 'web/tsconfig.json', 'tsconfig.json', 'package.json']) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const [file, rewrite] of Object.entries(rewritten)) {
    const target = path.join(folder, file);
    const text = await readFile(target, 'utf8');
    const changed = rewrite(text);
    expect(changed).not.toBe(text);
    await writeFile(target, changed);
  }
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [compiler, '--noEmit', '-p', path.join(folder, 'web')], { cwd: folder }, (_, text) =>
      resolve(text),
    ),
  );
  return [...new Set([...output.matchAll(/^web\/src\/([^(]+)\(/gm)].map(([, file]) => file))].toSorted();
}

const renamed =
  (type: string, from: string, to: string): Rewrite =>
  (text) => {
    const begin = text.indexOf(`export interface ${type} {`);
    return text.slice(0, begin) + text.slice(begin).replace(`  ${from}: `, `  ${to}: `);
  };

// That they compile as they are is seen by `npm run types`. One compilation for all: it takes most of a minute.
test('a renamed attribute, a page without a file, a file without a page and a link to no page do not compile', async () => {
  const files = await misfits({
    'web/src/interfaces/public.ts': renamed('DidsAttributes', 'expires_at', 'ends_at'),
    'web/src/interfaces/panel.ts': renamed('CallsAttributes', 'disconnect_initiator', 'ended_by'),
    'web/src/interfaces/operator.ts': renamed('AccountsAttributes', 'vat_rate', 'tax_rate'),
    // The first adds a page without a file; the second leaves a file, and a link, without a page.
    [`${pageTables}/customers.ts`]: (text) =>
      text.replace("{ new: 'NewTrunk', $id", "{ new: 'NewTrunk', old: 'OldTrunk', $id"),
    [`${pageTables}/operators.ts`]: (text) => text.replace("below: { $id: 'ImportPage' },", ''),
  });
  const attributes = ['operator/account-settings.tsx', 'pages/call.tsx', 'pages/number.tsx'];
  const addresses = ['operator/imports.tsx', 'operator/page-files.ts', 'pages/page-files.ts'];
  expect(files).toEqual(expect.arrayContaining([...attributes, ...addresses]));
});

test('no page says itself what the server answers', async () => {
  const pages = path.join(root, 'web/src');
  const names = (await readdir(pages, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const said: string[] = [];
  for (const name of names.map((each) => each.replaceAll('\\', '/'))) {
    if (/^(api|interfaces)\//.test(name)) continue;
    const text = await readFile(path.join(pages, name), 'utf8');
    const claims =
      text.match(/\b(?:useRead|get|send)<[^>]*>\(|\b(?:Resource|One|Many)<\{|\.data as |attributes as /g) ?? [];
    said.push(...claims.map((claim) => `${name}: ${claim}`));
  }
  // A choice needs a name, whatever else its type has.
  expect(said).toEqual(['pages/buy.tsx: Resource<{']);
});
