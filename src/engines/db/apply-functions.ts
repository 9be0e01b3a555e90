/**
 * Functions, triggers and views: each has one file with the text in force. What changed since the database was last
 * brought up to date is applied again, what has no file any more is dropped, and the rest is left alone.
 */
import pg from 'pg';
import manifest from '../../../package.json' with { type: 'json' };
import { machineClock } from '../../base/clock.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { runSql } from './run-sql.ts';
import type { SqlFunction } from './schema-files.ts';

export interface StoredFunction {
  readonly name: string;
  readonly checksum: string;
  /** The version of Trunkline that applied it. */
  readonly trunkline: string;
}

/** What the database has of a file. */
interface Made {
  /** The name of the file. */
  readonly file: string;
  readonly kind: 'function' | 'view' | 'trigger';
  /** To drop it: `name(types)`, or `name on table`. */
  readonly identity: string;
  /** Another one after it was replaced. */
  readonly version: string;
}

/** Functions may call each other, whichever is made first. */
const unchecked = 'set local check_function_bodies = off';

/** All of them, in a database that has none. */
export async function createFunctions(client: pg.ClientBase, files: readonly SqlFunction[]): Promise<void> {
  await runSql(client, 'src/engines/db/functions', [unchecked, ...files.map(({ sql }) => sql)].join(';\n'));
  await record(client, files);
}

/**
 * Returns what was applied or dropped, in words. `tablesChanged`: migrations may have dropped what depended on a table.
 */
export async function applyFunctions(
  client: pg.ClientBase,
  files: readonly SqlFunction[],
  stored: readonly StoredFunction[],
  tablesChanged: boolean,
): Promise<string[]> {
  refuseNewer(stored);
  const names = new Set(files.map(({ name }) => name));
  const gone = stored.map(({ name }) => name).filter((name) => !names.has(name));
  const checksums = new Map(stored.map(({ name, checksum }) => [name, checksum]));
  const changed = files.filter(({ name, checksum }) => checksums.get(name) !== checksum);
  if (gone.length === 0 && changed.length === 0 && !tablesChanged) return [];
  const before = await readMade(client, [...names, ...gone]);
  const lost = files.filter((file) => !changed.includes(file) && !isWhole(file, before));
  const vanished = before.filter(({ file }) => gone.includes(file));
  await client.query(unchecked);
  await drop(
    client,
    vanished.filter(({ kind }) => kind === 'view'),
  );
  const applied = await applyChanged(client, files, before, [...changed, ...lost]);
  await drop(
    client,
    vanished.filter(({ kind }) => kind !== 'view'),
  );
  await client.query('delete from schema_functions where name = any($1)', [gone]);
  await record(client, applied);
  return inWords(
    applied.map(({ name }) => name),
    gone,
  );
}

/** A process of an older version that is started beside a newer one must not bring its functions back. */
function refuseNewer(stored: readonly StoredFunction[]): void {
  const newer = stored.find(({ trunkline }) => trunkline.localeCompare(manifest.version, 'en', { numeric: true }) > 0);
  if (newer !== undefined) {
    throw new OperatorError(
      `The database has the functions of Trunkline ${newer.trunkline}, which is newer than this one (${manifest.version}); start that version, or a newer one.`,
    );
  }
}

function isWhole(file: SqlFunction, before: readonly Made[]): boolean {
  const made = before.filter((each) => each.file === file.name).map(({ identity }) => identity);
  return (
    before.some((each) => each.file === file.name && each.kind === file.kind) &&
    file.triggers.every(({ name, table }) => made.includes(`${name} on ${table}`))
  );
}

/** Returns what was applied: with something that cannot be replaced, all views, since they may depend on it. */
async function applyChanged(
  client: pg.ClientBase,
  files: readonly SqlFunction[],
  before: readonly Made[],
  changed: readonly SqlFunction[],
): Promise<readonly SqlFunction[]> {
  const views = files.filter(({ kind }) => kind === 'view');
  const functions = changed.filter(({ kind }) => kind === 'function');
  let viewsAreDropped = false;
  const dropViews = async () => {
    if (!viewsAreDropped && views.length > 0)
      await client.query(`drop view if exists ${views.map(({ name }) => name).join(', ')}`);
    viewsAreDropped = true;
  };
  for (const file of functions) {
    if (await replace(client, file)) continue;
    await dropViews();
    await drop(client, await readMade(client, [file.name]));
    await run(client, file, file.sql);
  }
  const remains = await remainsOf(client, before, functions);
  if (remains.some(({ kind }) => kind === 'function')) await dropViews();
  await drop(client, remains);
  for (const view of changed) {
    if (view.kind === 'view' && !viewsAreDropped && !(await replace(client, view))) await dropViews();
  }
  if (!viewsAreDropped) return changed;
  for (const view of views) await run(client, view, view.sql);
  return [...functions, ...views];
}

/** Another type of result, other names of parameters or columns: such a function or view is dropped first. */
const cannotBeReplaced: readonly (string | undefined)[] = ['42P13', '42P16'];

async function replace(client: pg.ClientBase, file: SqlFunction): Promise<boolean> {
  try {
    await run(client, file, `savepoint replaced;\n${file.sql}\n;release savepoint replaced`);
    return true;
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    if (!(cause instanceof pg.DatabaseError) || !cannotBeReplaced.includes(cause.code)) throw error;
    await client.query('rollback to savepoint replaced');
    return false;
  }
}

const run = (client: pg.ClientBase, { room, name }: SqlFunction, sql: string): Promise<void> =>
  runSql(client, `src/engines/db/functions/${room}/${name}.sql`, sql);

/** Forms of a function with other parameters, and triggers, that its file made before and does not make now. */
async function remainsOf(
  client: pg.ClientBase,
  before: readonly Made[],
  applied: readonly SqlFunction[],
): Promise<Made[]> {
  const old = new Set(before.map(({ identity, version }) => `${identity} ${version}`));
  const wanted = new Set(applied.flatMap(({ triggers }) => triggers.map(({ name, table }) => `${name} on ${table}`)));
  const made = await readMade(
    client,
    applied.map(({ name }) => name),
  );
  return made.filter(({ kind, identity, version }) =>
    kind === 'trigger' ? !wanted.has(identity) : old.has(`${identity} ${version}`),
  );
}

/** Triggers before the functions that they call. */
async function drop(client: pg.ClientBase, dropped: readonly Made[]): Promise<void> {
  for (const kind of ['trigger', 'view', 'function']) {
    for (const made of dropped) if (made.kind === kind) await client.query(`drop ${kind} if exists ${made.identity}`);
  }
}

/** Not those of extensions, nor the copies of a trigger on partitions. */
async function readMade(client: pg.ClientBase, files: readonly string[]): Promise<Made[]> {
  const { rows } = await client.query<Made>(
    `with functions as (
       select p.oid, p.xmin::text as version, case when n.nspname = 'public' then '' else n.nspname || '.' end || p.proname as file
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('public', 'environment_time')
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'))
     select file, 'function' as kind, oid::regprocedure::text as identity, version from functions where file = any($1)
     union all
     select f.file, 'trigger', format('%I on %s', t.tgname, t.tgrelid::regclass), t.xmin::text
     from pg_trigger t join functions f on f.oid = t.tgfoid
     where f.file = any($1) and not t.tgisinternal and t.tgparentid = 0
     union all
     select c.relname, 'view', c.relname, c.xmin::text from pg_class c
     where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [files],
  );
  return rows;
}

async function record(client: pg.ClientBase, files: readonly SqlFunction[]): Promise<void> {
  await client.query(
    `insert into schema_functions (name, checksum, trunkline, applied_at)
     select name, checksum, $3, $4 from unnest($1::text[], $2::text[]) as f (name, checksum)
     on conflict (name) do update
       set checksum = excluded.checksum, trunkline = excluded.trunkline, applied_at = excluded.applied_at`,
    [files.map(({ name }) => name), files.map(({ checksum }) => checksum), manifest.version, machineClock.now()],
  );
}

const mostNames = 5;

function inWords(applied: readonly string[], gone: readonly string[]): string[] {
  const dropped = gone.map((name) => `${name} (dropped)`);
  const names = [...applied, ...dropped];
  return names.length > mostNames ? [`${names.length} functions and views`] : names;
}
