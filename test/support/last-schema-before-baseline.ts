/**
 * A database as the commit before the baseline (1a3f0675) made it, by its own migrations: their files, one after
 * another, are kept in migrations-to-0660.sql.gz for this alone.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';

/** Applies the migrations up to a version, as that commit did. */
export async function makeSchemaBeforeBaseline(pool: pg.Pool, upTo = 660): Promise<void> {
  const file = new URL('migrations-to-0660.sql.gz', import.meta.url);
  const [, ...parts] = gunzipSync(await readFile(file))
    .toString()
    .split(/^-- FILE /m);
  await pool.query(`create table schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null)`);
  for (const part of parts) {
    const [name = ''] = part.split('\n', 1);
    const version = Number(name.slice(0, 4));
    if (version > upTo) return;
    // An empty line stands between two files.
    const sql = part.slice(name.length + 1, part === parts.at(-1) ? undefined : -1);
    await pool.query(sql);
    await pool.query(`insert into schema_migrations values ($1, $2, $3, '2026-11-18')`, [
      version,
      name,
      createHash('sha256').update(sql).digest('hex'),
    ]);
  }
}
