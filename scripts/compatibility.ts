/** `npm run compatibility`: runs the clients and writes docs/compatibility.md if all of them pass. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeDocument } from '../test/clients/document.ts';
import { askVersions } from '../test/clients/versions.ts';

const root = path.resolve(import.meta.dirname, '..');
const vitest = path.join(root, 'node_modules/.bin/vitest');
const { status } = spawnSync(vitest, ['run', '--project', 'whole', 'test/clients/clients.test.ts'], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) {
  writeFileSync(path.join(root, 'docs/compatibility.md'), writeDocument(await askVersions(os.tmpdir())));
  process.stdout.write('docs/compatibility.md is written.\n');
} else process.exitCode = 1;
