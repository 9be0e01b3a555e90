/** The job queue's own tables (graphile-worker), brought up to date beside ours. */
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { locks } from './locks.ts';

const silent = new Logger(() => () => undefined);

/** Safe to run from several processes at once: the queue's migrations and the index are each made once. */
export async function installJobQueue(pool: pg.Pool): Promise<void> {
  const own = new pg.Pool({ connectionString: connectionOf(pool), max: 1 });
  // A broken connection fails the running query; without a listener it would also end the process.
  own.on('error', () => undefined);
  own.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: own, logger: silent });
    await own.query(indexOfLockedJobs);
  } finally {
    await own.end();
  }
}

/** Where a pool connects to, for connections that must be set up in another way. */
export function connectionOf(pool: pg.Pool): string {
  const url = pool.options.connectionString;
  if (url === undefined) throw new Error('a database pool is made from a URL');
  return url;
}

/** Few jobs are locked at any time; this finds them whatever the number of waiting ones. */
const indexOfLockedJobs = `
  do $$ begin
    perform pg_advisory_xact_lock(${locks.jobQueue});
    create index if not exists trunkline_locked_jobs on graphile_worker._private_jobs (locked_by, run_at)
      where locked_at is not null;
  end $$`;
