/** Everything that is generated from a migrated database, formatted as it is committed. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Pool } from 'pg';
import { shippedSchema } from '../../src/engines/db/schema-files.ts';
import { schemaDocument } from './document.ts';
import { readCatalogue } from './read-catalogue.ts';
import { rowTypeFiles } from './row-types.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** File names from the root of the repository, and their text. */
export async function generatedFiles(pool: Pool): Promise<Map<string, string>> {
  const tables = await readCatalogue(pool);
  const types = [...rowTypeFiles(tables)].map(([file, text]): [string, string] => {
    const place = `src/engines/db/${file}`;
    return [place, formatted(place, text)];
  });
  return new Map([...types, ['docs/schema.md', schemaDocument(tables, (await shippedSchema()).functions)]]);
}

function formatted(file: string, text: string): string {
  const biome = path.join(root, 'node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['check', '--write', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${stderr}`);
  return stdout;
}
