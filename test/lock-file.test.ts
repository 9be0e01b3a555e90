/**
 * The lock file installs on every platform the README names: `npm ci` refuses one that lacks an optional package of any
 * system, and a package that was never downloaded by npm has no checksum.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  version?: string;
  integrity?: string;
  /** A folder of this repository; npm downloads nothing for it. */
  link?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(text);

const platforms = [
  { os: 'linux', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
];

/** The packages of which each platform must have one, by the member of the family for Linux on x64. */
const families = Object.values(packages)
  .flatMap(({ optionalDependencies = {} }) => [Object.keys(optionalDependencies)])
  .filter((names) => names.some((name) => /linux-x64/.test(name)));

describe('the lock file', () => {
  it('has every optional package that a locked package names', () => {
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => locked(place, name) === undefined),
    );
    expect(missing).toEqual([]);
  });

  it('has a checksum for every package', () => {
    const without = Object.entries(packages)
      .filter(([place, { integrity, link }]) => place !== '' && !link && !/^sha512-/.test(integrity ?? ''))
      .map(([place]) => place);
    expect(without).toEqual([]);
  });

  it.each(platforms)('has a package for $os on $cpu of every family of platform packages', (platform) => {
    expect(families.length).toBeGreaterThanOrEqual(3);
    const lacking = families.filter(
      (names) => !names.some((name) => runsOn(packages[`node_modules/${name}`], platform)),
    );
    expect(lacking).toEqual([]);
  });

  it('has one version of every family of platform packages', () => {
    const versions = families.map((names) => [
      ...new Set(names.map((name) => packages[`node_modules/${name}`]?.version)),
    ]);
    expect(versions.filter((found) => found.length !== 1)).toEqual([]);
  });

  it('names no place to download from', () => {
    expect(text).not.toContain('"resolved": "http');
  });
});

function locked(place: string, name: string): LockedPackage | undefined {
  return packages[`${place}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
}

function runsOn(found: LockedPackage | undefined, { os, cpu }: { os: string; cpu: string }): boolean {
  const isForGlibc = found?.libc === undefined || found.libc.includes('glibc');
  return found?.os?.includes(os) === true && found.cpu?.includes(cpu) === true && isForGlibc;
}
