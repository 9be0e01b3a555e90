/**
 * `npm run panel-types`: writes the types of the interfaces that the panel reads (web/src/interfaces) from their
 * OpenAPI documents. Run it after changing a declaration; test/generated-panel-types.test.ts fails when it was
 * forgotten.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { panelTypes } from './panel-types/files.ts';

const root = path.resolve(import.meta.dirname, '..');
for (const [file, text] of await panelTypes()) {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
  process.stdout.write(`Wrote ${file}.\n`);
}
