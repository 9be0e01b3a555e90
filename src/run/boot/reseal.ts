/** Seals everything anew with the first of several server keys, so that the others may be thrown away. */

import type { ServerKey } from '../../base/server-key.ts';
import { seal, unseal } from '../../business/accounts/secret.ts';
import type { Environment } from '../../engines/environment.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';

const rowsAtATime = 500;

interface Resealed {
  table: string;
  column: string;
  /** How many texts another key had sealed. */
  changed: number;
}

/**
 * Rows that change meanwhile are left alone: the process that changes them seals with its own first key. Safe to run
 * again, and after a break.
 */
export async function resealEverything(env: Environment, progress: (done: Resealed) => void): Promise<Resealed[]> {
  const all: Resealed[] = [];
  for (const sealed of sealedColumns) {
    const done = { table: sealed.table, column: sealed.column, changed: await resealColumn(env, sealed) };
    progress(done);
    all.push(done);
  }
  return all;
}

/** Remembers that the first key alone is enough from now on. */
export async function noteOnlyKey(env: Environment): Promise<void> {
  const [mark] = env.serverKey.marks();
  await env.db.updateTable('environment_state').set({ server_key_mark: mark, further_key_marks: [] }).execute();
}

async function resealColumn(env: Environment, { table, key = 'id', column, purpose }: SealedColumn): Promise<number> {
  const newest = env.serverKey.newest();
  let changed = 0;
  for (let last: string | null = null; ; ) {
    const { rows }: { rows: { id: string; sealed: string }[] } = await env.pool.query(
      `select ${key} as id, ${column} as sealed from ${table}
       where ${column} is not null and ($1::uuid is null or ${key} > $1::uuid) order by ${key} limit ${rowsAtATime}`,
      [last],
    );
    const stale = rows.filter(({ sealed }) => !opens(newest, purpose, sealed));
    const fresh = stale.map(({ sealed }) => seal(newest, purpose, unseal(env.serverKey, purpose, sealed)));
    if (stale.length > 0) {
      const { rowCount } = await env.pool.query(
        `update ${table} set ${column} = given.fresh
         from unnest($1::uuid[], $2::text[], $3::text[]) as given (row_key, stale, fresh)
         where ${key} = given.row_key and ${table}.${column} = given.stale`,
        [stale.map(({ id }) => id), stale.map(({ sealed }) => sealed), fresh],
      );
      changed += rowCount ?? 0;
    }
    last = rows.at(-1)?.id ?? null;
    if (last === null) return changed;
  }
}

function opens(serverKey: ServerKey, purpose: string, sealed: string): boolean {
  try {
    unseal(serverKey, purpose, sealed);
    return true;
  } catch {
    return false;
  }
}
