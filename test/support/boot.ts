/** Starts the program in folders of a test file's own, and tidies up after each test, or after the last one. */
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTrunkline, type Trunkline } from './trunkline.ts';

interface Bench {
  folder(): string;
  /** In the folder `name`; starts with the same name share a data folder. */
  start(
    name: string,
    variables?: Record<string, string>,
    words?: string[],
    command?: readonly string[],
  ): Promise<Trunkline>;
  /** Two empty databases of the operator's own, as variables. */
  ownDatabases(): Promise<OwnDatabases>;
  /** The same at the newest schema, for tests of something else than how they come there. */
  migratedDatabases(): Promise<OwnDatabases>;
  /** Writes a bootstrap file with one account in the sandbox. */
  bootstrapFile(key: string): Promise<string>;
}

export interface OwnDatabases extends Record<string, string> {
  DATABASE_URL: string;
  SANDBOX_DATABASE_URL: string;
}

interface BenchOptions {
  /** Tests that run side by side: each ends what it has started, and what is left is ended after the last of them. */
  sideBySide?: boolean;
}

export function createBench({ sideBySide = false }: BenchOptions = {}): Bench {
  let folder = '';
  const started: Trunkline[] = [];
  const databases: TestDatabase[] = [];
  const make = async (options: { empty: boolean }): Promise<OwnDatabases> => {
    const made = [await createTestDatabase(options), await createTestDatabase(options)];
    databases.push(...made);
    return { DATABASE_URL: made[0]?.url ?? '', SANDBOX_DATABASE_URL: made[1]?.url ?? '' };
  };
  const tidy = async () => {
    for (const process of started.splice(0)) await process.stop();
    for (const database of databases.splice(0)) await database.drop();
  };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-boot-'));
    await chmod(folder, 0o755);
  });
  if (!sideBySide) afterEach(tidy);
  afterAll(async () => {
    await tidy();
    // A process that was killed leaves its server behind on purpose; a command joins it and is the last one out.
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const own = path.join(folder, entry.name);
      if (!entry.isDirectory() || !(await readdir(path.join(own, 'data')).catch(() => [''])).includes('postgres'))
        continue;
      await startTrunkline(own, {}, ['migrate']).ended();
    }
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder: () => folder,
    start: async (name, variables, words, command) => {
      const own = path.join(folder, name);
      await mkdir(own, { recursive: true });
      const process = startTrunkline(own, variables, words, command);
      started.push(process);
      return process;
    },
    ownDatabases: () => make({ empty: true }),
    migratedDatabases: () => make({ empty: false }),
    bootstrapFile: async (key) => {
      const file = path.join(folder, `${key.replaceAll(' ', '-')}.json`);
      const account = { name: 'Acme', api_keys: [{ name: 'ci', key }] };
      await writeFile(file, JSON.stringify({ sandbox: { accounts: [account] } }));
      return file;
    },
  };
}

export async function ask<T extends pg.QueryResultRow>(url: string, question: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(question)).rows;
  } finally {
    await client.end();
  }
}
