/** Puts files that were made of many others where programs look for them. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomically } from '../src/files.ts';

/**
 * Moves the folder `made` into `place`, and writes what is said of it, with its name there, to `index.json`. Programs that start at this
 * moment find the former files or the new ones, and those that run may still load a former one.
 */
export async function keepBundle(place: string, made: string, about: object): Promise<void> {
  const folder = await digestOf(made);
  await mkdir(place, { recursive: true });
  const former = await readFile(path.join(place, 'index.json'), 'utf8').then(JSON.parse, () => null);
  // The same files stay as they are: there is no moment without them.
  if ((await digestOf(path.join(place, folder)).catch(() => null)) !== folder) {
    await rm(path.join(place, folder), { recursive: true, force: true });
    await rename(made, path.join(place, folder));
  }
  await writeAtomically(path.join(place, 'index.json'), `${JSON.stringify({ folder, ...about }, null, 1)}\n`);
  const kept = [folder, former?.folder, 'index.json'];
  for (const other of await readdir(place)) {
    if (!kept.includes(other)) await rm(path.join(place, other), { recursive: true });
  }
}

async function digestOf(folder: string): Promise<string> {
  const digest = createHash('sha256');
  for (const name of (await readdir(folder)).sort())
    digest.update(name).update(await readFile(path.join(folder, name)));
  return digest.digest('hex').slice(0, 16);
}
