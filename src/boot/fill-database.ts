/** A process of a first start: makes the tables of one database and loads the demo catalogue into it (filler.ts). */
import { demoCatalogue } from '../catalogue/demo.ts';
import { loadDemoCatalogue } from '../catalogue/load-demo.ts';
import { migrate } from '../db/migrate.ts';
import { createDatabase, createPool } from '../db/pool.ts';
import { commandTimeouts } from '../db/timeouts.ts';
import type { Filled } from './filler.ts';

process.once('disconnect', () => process.exit(1));
process.once('message', ({ url }: { url: string }) => {
  fill(url).then(
    () => end({ error: null }),
    (error: unknown) => end({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// Kept for the load; PostgreSQL is still making its cluster.
const catalogue = demoCatalogue();

async function fill(url: string): Promise<void> {
  const pool = createPool(url, { max: 2, timeouts: commandTimeouts });
  try {
    await migrate(pool);
    await loadDemoCatalogue({ pool, db: createDatabase(pool) }, { built: catalogue, isDraft: true });
  } finally {
    await pool.end();
  }
}

function end(filled: Filled): void {
  process.send?.(filled, () => process.exit());
}
