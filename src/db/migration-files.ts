/** The numbered SQL files of the schema. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

let shipped: Promise<Migration[]> | undefined;

/** The files of this program, read once: a process may open many databases. */
export function shippedMigrations(): Promise<Migration[]> {
  shipped ??= readMigrations().catch((error) => {
    // A process that has too many files open at one moment can read them at another.
    shipped = undefined;
    throw error;
  });
  return shipped;
}

export async function readMigrations(): Promise<Migration[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { version: Number(name.slice(0, 4)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
  const twice = migrations.find((migration, index) => migrations[index - 1]?.version === migration.version);
  if (twice !== undefined) throw new Error(`two migrations have the number of ${twice.name}`);
  return migrations;
}
