/** A process of a first start: makes the tables of one database and loads the demo catalogue into it (filler.ts). */
import { demoCatalogue } from '../../business/catalogue/demo.ts';
import { buildDemo, loadDemoCatalogue } from '../../business/catalogue/load-demo.ts';
import { migrate } from '../../engines/db/migrate.ts';
import { createDatabase, createPool } from '../../engines/db/pool.ts';
import { commandTimeouts } from '../../engines/db/timeouts.ts';
import type { Filled } from './filler.ts';

process.once('disconnect', () => process.exit(1));
process.once('message', ({ url }: { url: string }) => {
  fill(url).then(
    () => end({ error: null }),
    (error: unknown) => end({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// Kept for the load; PostgreSQL is still making its cluster, and then its tables.
const demo = buildDemo(demoCatalogue());
const built = { ...demo, numberLines: ahead(demo.numberLines) };

async function fill(url: string): Promise<void> {
  const pool = createPool(url, { max: 2, timeouts: commandTimeouts });
  try {
    await migrate(pool);
    await loadDemoCatalogue({ pool, db: createDatabase(pool) }, { built, isDraft: true });
  } finally {
    await pool.end();
  }
}

/** The same, but computed in the moments in which this process waits for others, until somebody takes it. */
function ahead<T>(source: IterableIterator<T>): Iterable<T> {
  const computed: T[] = [];
  let isTaken = false;
  const goOn = () => {
    if (isTaken) return;
    const { value, done } = source.next();
    if (done) return;
    computed.push(value);
    setImmediate(goOn);
  };
  setImmediate(goOn);
  function* take(): Iterable<T> {
    isTaken = true;
    yield* computed;
    yield* source;
  }
  return take();
}

function end(filled: Filled): void {
  process.send?.(filled, () => process.exit());
}
