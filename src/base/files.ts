/** Small files that must never be seen half written. */
import { randomBytes } from 'node:crypto';
import { access, link, readFile, rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file, or makes it, in one step. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const partial = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(partial, text, { mode: 0o644 });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The text of a private file, made on first use. Processes that ask at the same moment all get the same text. */
export async function readOrCreate(file: string, create: () => string): Promise<string> {
  if (!(await exists(file))) {
    const partial = `${file}.${randomBytes(4).toString('hex')}`;
    await writeFile(partial, create(), { mode: 0o600 });
    try {
      await link(partial, file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      await rm(partial, { force: true });
    }
  }
  return (await readFile(file, 'utf8')).trim();
}

export function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
