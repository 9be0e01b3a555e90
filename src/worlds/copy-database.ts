/**
 * Copies the content of a database that is in use into an empty one of the same schema: as of one moment, while everybody
 * goes on working. A clone by the server is faster, but nobody may be connected to what it clones.
 */
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** Of ours and of the job queue. Which migrations were applied is the same in both; a world has no worlds of its own. */
export const copiedSchemas = ['public', 'graphile_worker'];
const skipped = ['public.schema_migrations', 'graphile_worker.migrations', 'public.worlds', 'public.world_snapshots'];

export interface Table {
  /** Quoted, with its schema. */
  name: string;
  /** Quoted; without those that the database computes. */
  columns: string[];
}

export async function copyDatabase(fromUrl: string, toUrl: string): Promise<void> {
  const [source, target] = [new pg.Client(fromUrl), new pg.Client(toUrl)];
  for (const client of [source, target]) client.on('error', () => undefined);
  await Promise.all([source.connect(), target.connect()]);
  try {
    await source.query('begin isolation level repeatable read read only');
    await target.query('begin');
    // No trigger fires: the rows are already what they made of them. Only a superuser, or a role it was granted to, may do this.
    await target.query("set local session_replication_role = 'replica'");
    await addPartitions(source, target);
    const tables = await tablesOf(source);
    // The schema's own rows (such as the one of environment_state) give way to those of the source.
    await target.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
    for (const { name, columns: all } of tables) {
      const columns = all.join(', ');
      await pipeline(
        source.query(copyTo(`copy (select ${columns} from ${name}) to stdout`)),
        target.query(copyFrom(`copy ${name} (${columns}) from stdin`)),
      );
    }
    await copySequences(source, target);
    await target.query('commit');
    await source.query('commit');
  } finally {
    await Promise.all([source.end(), target.end()].map((ended) => ended.catch(() => undefined)));
  }
}

/** Rows are read through the table they belong to, so partitions are not tables of their own here. */
export async function tablesOf(source: pg.Client): Promise<Table[]> {
  const { rows } = await source.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname || '.' || c.relname <> all($2)
     group by 1 order by 1`,
    [copiedSchemas, skipped],
  );
  return rows;
}

/** Months that the source has prepared, and an empty database has not. */
async function addPartitions(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ sql: string }>(
    `select format('create table if not exists %I.%I partition of %I.%I %s', n.nspname, c.relname, pn.nspname, p.relname,
       pg_get_expr(c.relpartbound, c.oid)) as sql
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_class p on p.oid = i.inhparent join pg_namespace pn on pn.oid = p.relnamespace
     where c.relispartition and c.relkind = 'r' and n.nspname = any($1)`,
    [copiedSchemas],
  );
  for (const { sql } of rows) await target.query(sql);
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string; value: string | null }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
     where schemaname = any($1)`,
    [copiedSchemas],
  );
  for (const { name, value } of rows) if (value !== null) await target.query('select setval($1, $2)', [name, value]);
}
