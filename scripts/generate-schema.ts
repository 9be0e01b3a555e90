/**
 * `npm run schema`: writes the row types (src/engines/db/schema.ts, src/engines/db/tables) and docs/schema.md from a
 * database that was just migrated. Run it after adding a migration; test/generated-schema.test.ts fails when it was
 * forgotten. By hand: kysely-codegen makes no unions of what check constraints list, nor a page that people read.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openEmbeddedServer } from '../src/engines/db/embedded.ts';
import { migrate } from '../src/engines/db/migrate.ts';
import { createPool } from '../src/engines/db/pool.ts';
import { generatedFiles } from './schema/generated-files.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-schema-'));
await chmod(folder, 0o711);
const server = await openEmbeddedServer({ dataDirectory: folder, durable: false });
try {
  await server.createDatabase('schema');
  const pool = createPool(server.url('schema'), { max: 1 });
  await migrate(pool);
  const files = await generatedFiles(pool);
  await pool.end();
  for (const [file, text] of files) await writeFile(path.join(root, file), text);
  process.stdout.write(`Wrote ${[...files.keys()].join(', ')}.\n`);
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
