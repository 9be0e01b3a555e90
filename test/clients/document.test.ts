/** docs/compatibility.md is what `npm run compatibility` writes. */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { expect, test } from 'vitest';
import { clients, idOf } from './clients.ts';
import { type Versions, writeDocument } from './document.ts';
import { askVersions } from './versions.ts';

test('the page is current, but for versions that this machine has and the writer had not', async () => {
  const page = await readFile(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
  const here = await askVersions(os.tmpdir());
  const written = versionsIn(page);
  // What npm installs is the same everywhere; Debian's packages and Node get their updates at any time.
  const expected = clients.map((client) => {
    const id = idOf(client);
    return [id, (client.from.startsWith('npm') ? here : written).get(id) ?? ''] as const;
  });
  expect(page).toBe(writeDocument(new Map(expected)));
});

function versionsIn(page: string): Versions {
  const rows = [...page.matchAll(/^\| (\S+: [^|]+) \| (\d[\d.]*) \|/gm)];
  return new Map(rows.map(([, id = '', version = '']) => [id, version]));
}
