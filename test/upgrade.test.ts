/**
 * A rolling upgrade: a process of one version goes on serving while one of a newer version starts on the same databases
 * and migrates them, and both work side by side until the old one is stopped (docs/upgrade.md). No released version has
 * this schema yet, so the old one is this version, and the newer one is this with another migration.
 */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createBench } from './support/boot.ts';

const root = path.resolve(import.meta.dirname, '..');
const bench = createBench();

/** Returns how it is called. */
async function makeNewer(folder: string): Promise<string[]> {
  for (const name of ['package.json', 'src', 'docs/guides'])
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  const migration = path.join(folder, 'src/engines/db/migrations/9001_newer.sql');
  await writeFile(migration, 'alter table voice_in_trunks add column newer text;\n');
  // The panel has no part in this, and would be built for half a minute.
  await mkdir(path.join(folder, 'web/dist'), { recursive: true });
  await writeFile(path.join(folder, 'web/dist/built-from'), '');
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return [process.execPath, path.join(folder, 'src/main.ts')];
}

it('a version and a newer one serve side by side on one database, and the old one leaves', async () => {
  const newer = await makeNewer(path.join(bench.folder(), 'newer'));
  const key = 'the key of the upgrade test';
  const variables = {
    ...(await bench.ownDatabases()),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 9).toString('base64'),
    TRUNKLINE_BOOTSTRAP: await bench.bootstrapFile(key),
  };
  const headers = { 'api-key': key, 'content-type': 'application/vnd.api+json' };
  const serverOf = (url: string | undefined) => ({
    trunks: async (): Promise<string[]> => {
      const text = await (await fetch(`${url}/v3/voice_in_trunks`, { headers })).text();
      const { data }: { data: { attributes: { name: string } }[] } = JSON.parse(text);
      return data.map(({ attributes }) => attributes.name).sort();
    },
    addTrunk: async (name: string): Promise<number> => {
      const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
      const body = JSON.stringify({ data: { type: 'voice_in_trunks', attributes: { name, configuration } } });
      return (await fetch(`${url}/v3/voice_in_trunks`, { method: 'POST', headers, body })).status;
    },
    isReady: async () => (await fetch(`${url}/readyz`)).status,
  });

  const old = await bench.start('old', variables);
  const before = serverOf((await old.ready()).environments.sandbox?.url);
  expect(await before.addTrunk('a: old, alone')).toBe(201);

  const current = await bench.start('new', variables, ['serve'], newer);
  const after = serverOf((await current.ready()).environments.sandbox?.url);
  expect(await before.addTrunk('b: old, after the migration')).toBe(201);
  expect(await after.addTrunk('c: new, beside the old')).toBe(201);
  const all = ['a: old, alone', 'b: old, after the migration', 'c: new, beside the old'];
  expect([await before.trunks(), await after.trunks()]).toEqual([all, all]);
  expect([await before.isReady(), await after.isReady()]).toEqual([200, 200]);

  expect(await old.stop()).toBe(0);
  expect(await after.addTrunk('d: new, alone')).toBe(201);
  expect([await after.trunks(), await after.isReady()]).toEqual([[...all, 'd: new, alone'], 200]);
  expect([old.stderr(), current.stderr()]).toEqual(['', '']);

  // An old process that is started again says what is wrong, and changes nothing.
  const late = await bench.start('late', variables);
  expect(await late.ended()).toBe(1);
  expect(late.stderr()).toMatch(/^The database has the newer schema /);
});
