/** A database without any migration, new for every test of the file. */
import type pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { createPool } from '../../src/engines/db/pool.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** What it has is the running test's own. */
export function useEmptyDatabase(): { readonly url: string; readonly pool: pg.Pool } {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeEach(async () => {
    database = await createTestDatabase({ empty: true });
    pool = createPool(database.url);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });
  return {
    get url() {
      return database.url;
    },
    get pool() {
      return pool;
    },
  };
}
