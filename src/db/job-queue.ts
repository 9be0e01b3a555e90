/** The job queue's own tables (graphile-worker), brought up to date beside ours. */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import pg from 'pg';
import { locks } from './locks.ts';
import { connectionOf } from './pool.ts';

/**
 * Safe to run from several processes at once: the queue's migrations and the index are each made once. The schema's comment
 * says for which version that was done, so that a command or a later start does not load the library to find nothing to do.
 */
export async function installJobQueue(pool: pg.Pool): Promise<void> {
  libraryVersion ??= readLibraryVersion().catch((error) => {
    libraryVersion = undefined;
    throw error;
  });
  const wanted = `made by graphile-worker ${await libraryVersion}, with an index of locked jobs`;
  const { rows } = await pool.query<{ comment: string | null }>(
    `select obj_description(to_regnamespace('graphile_worker')::oid, 'pg_namespace') as comment`,
  );
  if (rows[0]?.comment === wanted) return;
  const { Logger, runMigrations } = await import('graphile-worker');
  const own = new pg.Pool({ connectionString: connectionOf(pool), max: 1 });
  // A broken connection fails the running query; without a listener it would also end the process.
  own.on('error', () => undefined);
  own.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: own, logger: new Logger(() => () => undefined) });
    await own.query(indexOfLockedJobs(wanted));
  } finally {
    await own.end();
  }
}

/** Read once: a process may open many databases. */
let libraryVersion: Promise<string> | undefined;

async function readLibraryVersion(): Promise<string> {
  const file = findPackageJSON('graphile-worker', import.meta.url);
  if (file === undefined) throw new Error('graphile-worker is not installed');
  const { version }: { version?: unknown } = JSON.parse(await readFile(file, 'utf8'));
  return String(version);
}

/** Few jobs are locked at any time; the index finds them whatever the number of waiting ones. */
const indexOfLockedJobs = (comment: string): string => `
  do $$ begin
    perform pg_advisory_xact_lock(${locks.jobQueue});
    create index if not exists trunkline_locked_jobs on graphile_worker._private_jobs (locked_by, run_at)
      where locked_at is not null;
    comment on schema graphile_worker is ${pg.escapeLiteral(comment)};
  end $$`;
