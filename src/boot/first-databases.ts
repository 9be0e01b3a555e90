/**
 * The databases of a first start. Both environments begin with the same tables and the same demo catalogue, and filling
 * them is most of a first start: it is done once, and the second database is a copy of the first.
 */
import { beginDemo, demoFile } from '../bootstrap/demo.ts';
import { loadDemoCatalogue } from '../catalogue/load-demo.ts';
import type { Config } from '../config/types.ts';
import { migrate } from '../db/migrate.ts';
import { createDatabase, createPool } from '../db/pool.ts';
import { commandTimeouts } from '../db/timeouts.ts';
import type { EnvironmentName } from '../environment.ts';
import { exists } from '../files.ts';
import type { Databases } from './databases.ts';

/** Does nothing if there is a database or a demo already. A start that is killed here is finished by the next one. */
export async function beginDemos(databases: Databases, names: EnvironmentName[], config: Config): Promise<void> {
  for (const name of names) if (await exists(demoFile(name, config.dataDirectory))) return;
  await databases.beginAlike(async (url) => {
    for (const name of names) await beginDemo(name, config.dataDirectory);
    const pool = createPool(url, { max: 2, timeouts: commandTimeouts });
    try {
      await migrate(pool);
      await loadDemoCatalogue({ pool, db: createDatabase(pool) });
    } finally {
      await pool.end();
    }
  });
}
