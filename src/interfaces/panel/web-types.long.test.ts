/**
 * The pages read and write what the interface says: their types are those generated from the OpenAPI documents, so a
 * renamed attribute does not compile.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

/** Compiles the pages against interfaces with other names, and returns the files that do not fit any more. */
async function misfits(renamed: Readonly<Record<string, [type: string, from: string, to: string]>>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'panel-types-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of ['web/src', 'web/tsconfig.json', 'tsconfig.json', 'package.json']) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const [file, [type, from, to]] of Object.entries(renamed)) {
    const target = path.join(folder, 'web/src/interfaces', file);
    const text = await readFile(target, 'utf8');
    const begin = text.indexOf(`export interface ${type} {`);
    const changed = text.slice(0, begin) + text.slice(begin).replace(`  ${from}: `, `  ${to}: `);
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

test('pages that read a renamed attribute do not compile', async () => {
  expect(await misfits({})).toEqual([]);
  const files = await misfits({
    'public.ts': ['DidsAttributes', 'expires_at', 'ends_at'],
    'panel.ts': ['CallsAttributes', 'disconnect_initiator', 'ended_by'],
    'operator.ts': ['AccountsAttributes', 'vat_rate', 'tax_rate'],
  });
  expect(files).toEqual(
    expect.arrayContaining(['operator/account-settings.tsx', 'pages/call.tsx', 'pages/number.tsx']),
  );
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
