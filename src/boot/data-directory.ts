/** The folder for what Trunkline makes itself: the embedded database, the server key, the demo's credentials. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../operator-error.ts';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    const probe = path.join(directory, `.writable-${randomBytes(4).toString('hex')}`);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new OperatorError(`The data folder ${directory} is not writable: ${reason(error)}.`);
  }
}

/** "EACCES: permission denied, mkdir '/x'" → "permission denied". */
function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^\w+: /, '').replace(/, .*$/, '') : String(error);
}
