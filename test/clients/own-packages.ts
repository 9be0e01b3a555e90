/**
 * Packages of a client that cannot stand beside ours: they have a lock file and a folder of their own, which is kept
 * until the lock file changes.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { programs } from './clients.ts';

const source = path.join(programs, 'typescript/openapi-typescript');
const target = path.resolve(import.meta.dirname, '../../node_modules/.cache/trunkline/openapi-typescript');

export function installOwnPackages(): void {
  const installed = path.join(target, 'node_modules/installed-lock.json');
  const lockFile = path.join(source, 'package-lock.json');
  if (contentOf(installed) === contentOf(lockFile)) return;
  mkdirSync(target, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(source, name), path.join(target, name));
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: target });
  copyFileSync(lockFile, installed);
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
