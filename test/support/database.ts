/** A fresh database of the run's server, cloned from the template in some tens of milliseconds. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** At the newest schema; `{ empty: true }` gives one without any table. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = new URL(inject('databaseServer'));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(
    server.href,
    `create database ${name} template ${options.empty ? 'template0' : 'trunkline_template'} strategy file_copy`,
  );
  server.pathname = `/${name}`;
  return { url: server.href, drop: () => administer(inject('databaseServer'), `drop database ${name} with (force)`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
