/** The types of the panel are those of the OpenAPI documents. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { panelTypes } from '../scripts/panel-types/files.ts';

const root = path.resolve(import.meta.dirname, '..');

it('the generated types are up to date: run "npm run panel-types" after changing a declaration', async () => {
  for (const [file, text] of await panelTypes()) {
    expect(await readFile(path.join(root, file), 'utf8'), file).toBe(text);
  }
});
