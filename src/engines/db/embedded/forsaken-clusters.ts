/**
 * Clusters beside the shared copies whose data folder is gone. Each has a note of the folder it was made for. One of
 * the system's temporary folder is removed with it; any other is only reported, since a data folder may lie on a disk
 * that is not mounted at the moment.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { exists } from '../../../base/files.ts';
import { signal } from './signal.ts';

const noteName = 'data-folder';
export const clusterPrefix = 'cluster-';

/** Written beside the cluster, before it is made. */
export async function noteDataFolder(home: string, dataDirectory: string): Promise<void> {
  await writeFile(path.join(home, noteName), `${path.resolve(dataDirectory)}\n`);
}

interface ForsakenCluster {
  readonly home: string;
  readonly dataDirectory: string;
}

/** Removes what can be removed, and returns the others. */
export async function tidyClusters(sharedRoot: string): Promise<ForsakenCluster[]> {
  const left: ForsakenCluster[] = [];
  for (const name of await readdir(sharedRoot).catch(() => [])) {
    if (!name.startsWith(clusterPrefix)) continue;
    const home = path.join(sharedRoot, name);
    const dataDirectory = (await readFile(path.join(home, noteName), 'utf8').catch(() => '')).trim();
    if (dataDirectory === '' || (await exists(dataDirectory)) || (await isRunning(home))) continue;
    if (isTemporary(dataDirectory)) await rm(home, { recursive: true, force: true });
    else left.push({ home, dataDirectory });
  }
  return left;
}

function isTemporary(folder: string): boolean {
  const inside = path.relative(os.tmpdir(), folder);
  return inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside);
}

/** A server of a killed process may still run. */
async function isRunning(home: string): Promise<boolean> {
  const pid = Number(
    (await readFile(path.join(home, 'cluster/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
  );
  return pid > 0 && signal(pid, 0);
}
