/**
 * Metrics that exist for alerts (docs/alerts.md): whether workers live, room on disks, the end of certificates,
 * partitions of the months ahead, the size of the database, e-mails that were given up, blocked prefixes.
 */
import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import { locks } from '../../engines/db/locks.ts';
import type { Environment } from '../../engines/environment.ts';
import { inTime } from './pages.ts';

export interface Watched {
  /** Folders whose disks may fill up, by name. */
  folders?: Readonly<Record<string, string>>;
  /** PEM files. */
  certificates?: readonly string[];
  /** Absent in a process that runs no jobs. */
  areWorkersAlive?: () => boolean;
  /** Calls that the process waits for before it stops; null as long as it is not told to. */
  callsToWaitFor?: () => number | null;
}

type Values = Readonly<Record<string, number>>;

export function registerWatched(env: Environment, watched: Watched, registers: Registry[]): void {
  const gauge = <L extends string>(name: string, help: string, label: L | null, read: () => Promise<Values>) => {
    const measured = new Gauge<L>({
      name,
      help,
      labelNames: label === null ? [] : [label],
      registers,
      collect: async () => {
        const values = await read().catch(() => ({}));
        measured.reset();
        // A gauge without labels starts at 0, which would be a value; NaN says that nothing is known.
        if (label === null) measured.set(Object.values(values)[0] ?? Number.NaN);
        else for (const [value, n] of Object.entries(values)) measured.labels(value).set(n);
      },
    });
  };
  const { areWorkersAlive, folders = {}, certificates = [] } = watched;
  if (areWorkersAlive !== undefined) {
    gauge('trunkline_worker_alive', '1 while the workers of this process run.', null, async () => ({
      alive: areWorkersAlive() ? 1 : 0,
    }));
  }
  gauge('trunkline_worker_pools', 'Worker pools of all processes that hold the lock of the living.', null, () =>
    ask(env, poolsSql, [locks.workerAlive]),
  );
  gauge('trunkline_partitions_ahead', 'Months after the current one that a table has a partition for.', 'table', () =>
    ask(env, partitionsSql, [['cdrs_in', 'cdrs_out', 'call_events']]),
  );
  gauge('trunkline_replica_lag_seconds', 'How old what a replica has is, at most.', 'replica', async () =>
    env.replicas === undefined ? {} : env.replicas.lags(),
  );
  gauge(
    'trunkline_ledger_checks_failed',
    'Checks of the ledger that found something wrong in the last proof.',
    null,
    () =>
      ask(env, `select 'failed' as name, failed as value from ledger_verifications order by created_at desc limit 1`),
  );
  gauge('trunkline_ledger_verified_timestamp_seconds', 'When the books were proven last.', null, () =>
    ask(
      env,
      `select 'at' as name, extract(epoch from created_at)::float8 as value from ledger_verifications
       order by created_at desc limit 1`,
    ),
  );
  gauge(
    'trunkline_mails_given_up',
    'E-mails of the last 24 hours that could not be sent and were given up.',
    null,
    () => ask(env, mailsSql),
  );
  gauge('trunkline_prefixes_blocked', 'Prefixes whose codes are refused now, by who blocked them.', 'by', () =>
    ask(env, prefixesSql),
  );
  gauge('trunkline_database_size_bytes', 'Size of the database on the disk of PostgreSQL.', null, () =>
    ask(env, `select 'size' as name, pg_database_size(current_database())::float8 as value`),
  );
  gauge('trunkline_disk_free_bytes', 'Free bytes on the disk of a folder.', 'folder', () =>
    eachOf(Object.entries(folders), async ([name, folder]) => {
      const { bavail, bsize } = await statfs(folder);
      return [name, bavail * bsize];
    }),
  );
  gauge('trunkline_disk_size_bytes', 'Size of the disk of a folder.', 'folder', () =>
    eachOf(Object.entries(folders), async ([name, folder]) => {
      const { blocks, bsize } = await statfs(folder);
      return [name, blocks * bsize];
    }),
  );
  gauge(
    'trunkline_certificate_expiry_timestamp_seconds',
    'When a certificate ends, in Unix time; 0 if its file cannot be read.',
    'certificate',
    async () => ({
      ...(await eachOf(certificates, async (file) => [path.basename(file), await endOf(file)])),
      ...(await ask(env, signingSql).catch(() => ({}))),
    }),
  );
}

/** How long calls can be signed with the certificates there are; nothing where they are not signed. */
const signingSql = `
  select 'signing of calls' as name, extract(epoch from max(valid_until))::float8 as value
  from signing_certificates where enabled having count(*) > 0`;

const mailsSql = `
  select 'given_up' as name, count(*)::int as value from mails where given_up_at > environment_time.now() - interval '1 day'`;

const prefixesSql = `
  select origin.name, count(b.id)::int as value from unnest(array['rule', 'operator']) as origin (name)
  left join prefix_blocks b on (b.actor = 'system') = (origin.name = 'rule') and b.mode = 'block' and b.lifted_at is null
    and (b.until is null or b.until > environment_time.now())
  group by origin.name`;

const poolsSql = `
  select 'pools' as name, count(distinct objid)::int as value from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2 and classid = $1
    and database = (select oid from pg_database where datname = current_database())`;

const partitionsSql = `
  select wanted.name, count(part.oid) filter (
      where right(part.relname, 7) > to_char(environment_time.now() at time zone 'UTC', 'YYYY_MM'))::int as value
  from unnest($1::text[]) as wanted (name)
  left join pg_inherits i on i.inhparent = wanted.name::regclass
  left join pg_class part on part.oid = i.inhrelid
  group by wanted.name`;

async function ask({ pool }: Environment, statement: string, values: unknown[] = []): Promise<Values> {
  const { rows } = await inTime(pool.query<{ name: string; value: number }>(statement, values));
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Leaves out what cannot be measured, such as a folder that is not there yet. */
async function eachOf<T>(all: readonly T[], measure: (one: T) => Promise<[string, number]>): Promise<Values> {
  const measured = await Promise.all(all.map((one) => measure(one).catch(() => null)));
  return Object.fromEntries(measured.filter((entry) => entry !== null));
}

async function endOf(file: string): Promise<number> {
  try {
    return Math.floor(new X509Certificate(await readFile(file)).validToDate.getTime() / 1000);
  } catch {
    return 0;
  }
}
