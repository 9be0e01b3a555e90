/** The file by which scripts learn that every port answers. */
import { rm } from 'node:fs/promises';
import type { EnvironmentName } from '../environment.ts';
import { writeAtomically } from '../files.ts';
import { OperatorError } from '../operator-error.ts';

export type Addresses = Partial<Record<EnvironmentName, string>>;

export async function writeReadyFile(file: string, addresses: Addresses): Promise<void> {
  const environments = Object.fromEntries(Object.entries(addresses).map(([name, url]) => [name, { url }]));
  try {
    await writeAtomically(file, `${JSON.stringify({ pid: process.pid, environments })}\n`);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new OperatorError(`The ready file ${file} cannot be written: ${reason}.`);
  }
}

/** One left by an earlier run would be believed too soon. */
export async function removeReadyFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
