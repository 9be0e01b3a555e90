/** Clusters whose folder is gone are removed, no others. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteDataFolder, tidyClusters } from './forsaken-clusters.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'trunkline-shared-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function cluster(name: string, dataDirectory: string | null, pid?: number): Promise<void> {
  const home = path.join(root, name);
  await mkdir(path.join(home, 'cluster'), { recursive: true });
  if (dataDirectory !== null) await noteDataFolder(home, dataDirectory);
  if (pid !== undefined) await writeFile(path.join(home, 'cluster/postmaster.pid'), `${pid}\n`);
}

test('only the cluster of a temporary folder that is gone is removed, and only if no server runs on it', async () => {
  const gone = path.join(os.tmpdir(), 'trunkline-that-is-gone');
  await cluster('cluster-gone', gone);
  await cluster('cluster-running', gone, process.pid);
  await cluster('cluster-there', root);
  await cluster('cluster-elsewhere', '/mnt/a-disk-that-is-not-mounted/data');
  await cluster('cluster-without-a-note', null);
  await cluster('postgres-18', gone);

  const left = await tidyClusters(root);

  expect(left).toEqual([
    { home: path.join(root, 'cluster-elsewhere'), dataDirectory: '/mnt/a-disk-that-is-not-mounted/data' },
  ]);
  expect((await readdir(root)).sort()).toEqual([
    'cluster-elsewhere',
    'cluster-running',
    'cluster-there',
    'cluster-without-a-note',
    'postgres-18',
  ]);
});

test('a folder that is not there has no clusters', async () => {
  expect(await tidyClusters(path.join(root, 'nothing'))).toEqual([]);
});
