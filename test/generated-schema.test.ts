/** Row types and docs/schema.md are what a migrated database says. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../scripts/schema/generated-files.ts';
import { createPool } from '../src/engines/db/pool.ts';
import { createTestDatabase } from './support/database.ts';

const root = path.resolve(import.meta.dirname, '..');

it('the generated files are up to date: run "npm run schema" after adding a migration', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { max: 1 });
  try {
    const files = await generatedFiles(pool);
    for (const [file, text] of files) expect(await readFile(path.join(root, file), 'utf8'), file).toBe(text);
    const tables = (await readdir(path.join(root, 'src/engines/db/tables'))).map(
      (name) => `src/engines/db/tables/${name}`,
    );
    expect(tables.filter((file) => !files.has(file))).toEqual([]);
  } finally {
    await pool.end();
    await database.drop();
  }
});
