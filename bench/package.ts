/**
 * The package as the image has it: unpacked from what `npm pack` makes, with the packages of this clone, called as the
 * Dockerfile says.
 */
import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');

/** Returns how its program is called. */
export async function unpackPackage(folder: string): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root });
  const [packed]: [{ filename: string }] = JSON.parse(stdout);
  await run('tar', ['xzf', packed.filename, '--strip-components=1'], { cwd: folder });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const [, entryPoint = '[]'] = /^ENTRYPOINT (.+)$/m.exec(await readFile(path.join(root, 'Dockerfile'), 'utf8')) ?? [];
  const words: string[] = JSON.parse(entryPoint);
  return [process.execPath, ...words.slice(1, -1), path.join(folder, 'bin/trunkline.cjs')];
}
