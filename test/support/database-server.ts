/** Vitest's global setup: one embedded PostgreSQL for the run, with a template database at the newest schema. */
import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { sharedRoot } from '../../src/engines/db/embedded/cluster.ts';
import { tidyClusters } from '../../src/engines/db/embedded/forsaken-clusters.ts';
import { openEmbeddedServer } from '../../src/engines/db/embedded.ts';
import { migrate } from '../../src/engines/db/migrate.ts';
import { createPool } from '../../src/engines/db/pool.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection URLs of the run's server, for its maintenance database. */
    databaseServer: string;
    /** Where the run keeps what a first start leaves (demo-data.ts). */
    demoFolder: string;
  }
}

export const template = 'trunkline_template';

const prefix = 'trunkline-test-';
const ownerFile = 'owner.pid';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await fastestFolder();
  await sweep(folder);
  const directory = await mkdtemp(path.join(folder, prefix));
  await chmod(directory, 0o711);
  await writeFile(path.join(directory, ownerFile), String(process.pid));
  const server = await openEmbeddedServer({ dataDirectory: directory, durable: false });
  await server.createDatabase(template);
  const pool = createPool(server.url(template), { max: 1 });
  await migrate(pool);
  await pool.end();
  project.provide('databaseServer', server.url('postgres'));
  project.provide('demoFolder', path.join(directory, 'demo'));
  return async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
    // Run as root, clusters of temporary folders lie elsewhere, and stay when those are removed.
    await tidyClusters(sharedRoot);
  };
}

/**
 * A clone of the template is a thousand small files: in memory, where there is enough, it is made five times as fast.
 */
async function fastestFolder(): Promise<string> {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => null);
  const wanted = 4 * 2 ** 30;
  return space !== null && space.bavail * space.bsize >= wanted ? memory : os.tmpdir();
}

/** Ends what runs that were killed have left behind; runs that live are left alone. */
async function sweep(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const directory = path.join(folder, name);
    const owner = Number(await readFile(path.join(directory, ownerFile), 'utf8').catch(() => ''));
    if (!(owner > 0) || isAlive(owner)) continue;
    const [pid, , , , socketFolder] = (await readFile(await lockFile(directory), 'utf8').catch(() => '')).split('\n');
    if (Number(pid) > 0 && isAlive(Number(pid))) process.kill(Number(pid), 'SIGQUIT');
    if (socketFolder?.includes('trunkline-pg-')) await rm(socketFolder, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function lockFile(directory: string): Promise<string> {
  const elsewhere = (await readFile(path.join(directory, 'postgres.location'), 'utf8').catch(() => '')).trim();
  return path.join(elsewhere || path.join(directory, 'postgres'), 'cluster/postmaster.pid');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
