/** What a first start leaves, with all records of the demo: made once in a run, and copied to those who begin there. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, inject, vi } from 'vitest';
import { startTrunkline } from './trunkline.ts';

/** Puts it into a folder; the program started there goes on with it. */
export async function layOutDemo(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  // The database belongs to a user of its own, which only cp keeps.
  await promisify(execFile)('cp', ['-a', await preparedData(), path.join(folder, 'data')]);
}

/** The worker that comes first makes it, others wait. */
async function preparedData(): Promise<string> {
  const folder = inject('demoFolder');
  const finished = path.join(folder, 'finished');
  while (!(await isThere(finished))) {
    if (!(await isMadeHere(folder))) {
      await sleep(50);
      continue;
    }
    try {
      await makeDemo(folder);
      await writeFile(finished, '');
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
  return path.join(folder, 'data');
}

async function makeDemo(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const program = startTrunkline(folder, { TRUNKLINE_PORT: 'off' });
  try {
    await program.ready();
    const records = path.join(folder, 'data/demo.sandbox.records');
    await vi.waitFor(async () => expect(await isThere(records)).toBe(false), { timeout: 120_000, interval: 50 });
  } finally {
    await program.stop();
  }
}

/** False if another worker has made the folder. */
async function isMadeHere(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
