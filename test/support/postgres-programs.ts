/** The programs of an installed PostgreSQL, run as a user that PostgreSQL accepts. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PostgresPrograms {
  /** Gives a folder to the user that the programs run as. */
  own(place: string): Promise<string>;
  run(name: string, ...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** Starts any program as the same user; what it says goes to a file. */
  start(program: string, args: readonly string[], log: string): ChildProcess;
  /** Where they are. */
  readonly folder: string;
}

export async function postgresPrograms(): Promise<PostgresPrograms> {
  const folder = await programsFolder();
  // PostgreSQL does not run as root.
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot ? ((await run('id', ['postgres'])).stdout.match(/\d+/g)?.map(Number) ?? []) : [];
  const identity = uid === undefined || gid === undefined ? null : { uid, gid };
  return {
    own: async (place) => {
      if (identity !== null) await chown(place, identity.uid, identity.gid);
      return place;
    },
    folder,
    start: (program, args, log) => {
      const output = openSync(log, 'a');
      return spawn(program, args, { cwd: '/', stdio: ['ignore', output, output], ...identity });
    },
    run: (name, ...args) => run(path.join(folder, name), args, { cwd: '/', ...identity }),
  };
}

/** The programs of the newest PostgreSQL that is installed: dumps are made with the version of the server. */
async function programsFolder(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const newest = versions.sort((left, right) => Number(right) - Number(left))[0];
  if (newest === undefined) throw new Error('This test needs the programs of PostgreSQL (Debian: postgresql).');
  return `/usr/lib/postgresql/${newest}/bin`;
}
