/**
 * The SQL of the schema, as it lies beside this file: a baseline of the tables with one file per room, numbered
 * migrations after it, and one file for each function or view, which holds the text in force.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** A function with the triggers that call it, or a view. */
export interface SqlFunction {
  /** As the database knows it: with its schema, if that is not `public`. */
  readonly name: string;
  readonly room: string;
  readonly kind: 'function' | 'view';
  readonly triggers: readonly { name: string; table: string }[];
  readonly sql: string;
  readonly checksum: string;
}

export interface SchemaFiles {
  readonly baseline: Migration;
  /** Brings the tables of the last schema before the baseline to the baseline (move-over.ts). */
  readonly moveOver: Migration;
  readonly migrations: readonly Migration[];
  /** Functions before the views that may call them. */
  readonly functions: readonly SqlFunction[];
}

const baselineVersion = 1000;
const baselineName = '1000_baseline';

let shipped: Promise<SchemaFiles> | undefined;

/** The files of this program, read once: a process may open many databases. */
export function shippedSchema(): Promise<SchemaFiles> {
  shipped ??= readSchemaFiles().catch((error) => {
    // A process that has too many files open at one moment can read them at another.
    shipped = undefined;
    throw error;
  });
  return shipped;
}

async function readSchemaFiles(): Promise<SchemaFiles> {
  const [baseline, moveOver, migrations, functions] = await Promise.all([
    readFolder('baseline'),
    readFile(new URL('move-over.sql', import.meta.url), 'utf8'),
    readFolder('migrations'),
    readFolder('functions'),
  ]);
  const made = baselineOf(baseline.map(({ sql }) => sql).join('\n'));
  return {
    baseline: made,
    moveOver: { ...made, sql: moveOver },
    migrations: numbered(migrations.map(({ file, sql }) => migrationOf(file, sql))),
    functions: inOrder(functions.map(({ file, sql }) => functionOf(file, sql))),
  };
}

/** The SQL files of a folder and of those in it, in the order of their names. */
async function readFolder(name: string): Promise<{ file: string; sql: string }[]> {
  const folder = new URL(`${name}/`, import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      file: file.replaceAll(path.sep, '/'),
      sql: await readFile(new URL(file.replaceAll(path.sep, '/'), folder), 'utf8'),
    })),
  );
}

/** Comments of the baseline may be improved: what it makes stays the same. */
export const baselineOf = (sql: string): Migration => ({
  version: baselineVersion,
  name: baselineName,
  sql,
  checksum: digest(sql.replaceAll(/^\s*(--.*)?\n/gm, '')),
});

export function migrationOf(file: string, sql: string): Migration {
  if (!/^\d{4}_\w+\.sql$/.test(file))
    throw new Error(`the migration ${file} has no name of the form 1001_what_it_does.sql`);
  return { version: Number(file.slice(0, 4)), name: file, sql, checksum: digest(sql) };
}

function numbered(migrations: Migration[]): Migration[] {
  const wrong = migrations.find(({ version }, index) => version <= (migrations[index - 1]?.version ?? baselineVersion));
  if (wrong !== undefined)
    throw new Error(`the number of the migration ${wrong.name} is taken, or of before the baseline`);
  return migrations;
}

/** `room/name.sql`. */
export function functionOf(file: string, sql: string): SqlFunction {
  const [, room = '', name = ''] = /^([\w-]+)\/([\w.]+)\.sql$/.exec(file) ?? [];
  const [, kind, made] = /^create or replace (function|view) ([\w.]+)/m.exec(sql) ?? [];
  if ((kind !== 'function' && kind !== 'view') || made !== name) {
    throw new Error(`src/engines/db/functions/${file} does not make the function or view of its name`);
  }
  const triggers = [...sql.matchAll(/^create (?:or replace |constraint )?trigger (\w+)\s[^;]*?\son\s+(\w+)/gm)];
  return {
    name,
    room,
    kind,
    triggers: triggers.map(([, trigger = '', table = '']) => ({ name: trigger, table })),
    sql,
    checksum: digest(sql),
  };
}

function inOrder(files: SqlFunction[]): SqlFunction[] {
  const names = files.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two files of src/engines/db/functions have the name ${twice}`);
  return [...files.filter(({ kind }) => kind === 'function'), ...files.filter(({ kind }) => kind === 'view')];
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
