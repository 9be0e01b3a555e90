/** Writes the content of a database that nobody changes as a snapshot file. */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { machineClock } from '../clock.ts';
import { copiedSchemas, tablesOf } from './copy-database.ts';
import { type Partition, type SnapshotHeader, snapshotFormat } from './snapshot-format.ts';

/** E-mails stay where they are: whoever loads a file must not send what others wrote. */
const keptBack = ['public.mails'];

export async function saveSnapshotFile(url: string, key: Buffer): Promise<Buffer> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  const chunks: Buffer[] = [];
  try {
    await client.query('begin isolation level repeatable read read only');
    await pipeline(contentOf(client, key), createGzip({ level: 9 }), async (zipped) => {
      for await (const chunk of zipped) chunks.push(chunk);
    });
  } finally {
    await client.end().catch(() => undefined);
  }
  return Buffer.concat(chunks);
}

async function* contentOf(client: pg.Client, key: Buffer): AsyncGenerator<Buffer> {
  yield line(await headerOf(client, key));
  for (const { name, columns } of await tablesOf(client)) {
    if (keptBack.includes(name)) continue;
    let head: Buffer | null = line({ table: name, columns });
    const rows = client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`));
    for await (const chunk of rows) {
      if (head !== null) yield head;
      head = null;
      yield chunk;
    }
    // Tables without rows are left out.
    if (head === null) yield Buffer.from('\\.\n');
  }
  const { rows } = await client.query<{ sequence: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as sequence, last_value::text as value from pg_sequences
     where schemaname = any($1) and last_value is not null order by 1`,
    [copiedSchemas],
  );
  for (const sequence of rows) yield line(sequence);
}

async function headerOf(client: pg.Client, key: Buffer): Promise<SnapshotHeader> {
  const { rows: migrations } = await client.query<SnapshotHeader['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  );
  const { rows: partitions } = await client.query<Partition>(
    `select p.relname as parent, c.relname as name, bounds[1] as "from", bounds[2] as "to"
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
       join pg_namespace n on n.oid = c.relnamespace,
       regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)') as bounds
     where c.relispartition and n.nspname = 'public' and bounds is not null order by 2`,
  );
  return {
    trunkline_snapshot: snapshotFormat,
    saved_at: machineClock.now().toISOString(),
    migrations,
    key: key.toString('base64'),
    partitions,
  };
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
