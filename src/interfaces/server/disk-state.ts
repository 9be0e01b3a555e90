/**
 * Whether a disk is full: one of ours by what the system says, that of another machine by what its PostgreSQL has
 * refused.
 */
import { statfs } from 'node:fs/promises';

/** With less than this PostgreSQL soon stops: it makes its log in files of 16 MiB, and needs one now and then. */
const fewestBytes = 8 * 2 ** 20;
/** A refusal counts until something is written again, and at most so long. */
const countsMs = 30_000;
const diskFull = '53100';

export class DiskState {
  readonly #folders: readonly string[];
  #refusedAt: number | null = null;

  constructor(folders: Readonly<Record<string, string>>) {
    this.#folders = Object.values(folders);
  }

  noteError(error: Error): void {
    if ('code' in error && error.code === diskFull) this.#refusedAt = performance.now();
  }

  noteWritten(): void {
    this.#refusedAt = null;
  }

  async isFull(): Promise<boolean> {
    if (this.#refusedAt !== null && performance.now() - this.#refusedAt < countsMs) return true;
    const free = await Promise.all(this.#folders.map(freeBytes));
    return free.some((bytes) => bytes < fewestBytes);
  }
}

/** A folder that is not there says nothing. */
async function freeBytes(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => null);
  return found === null ? Number.POSITIVE_INFINITY : found.bavail * found.bsize;
}
