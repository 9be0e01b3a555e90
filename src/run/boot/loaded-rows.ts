/**
 * What a snapshot file has brought, checked as the interfaces would check it: every value of `/v3` by its declaration,
 * every setting of another interface by the function that checks it there, every booking by the proofs of the ledger.
 */

import { OperatorError } from '../../base/operator-error.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import { createDatabase, createPool } from '../../engines/db/pool.ts';
import { storedProblem } from '../../engines/jsonapi/check-stored.ts';
import { resources } from '../../interfaces/platform/v3/resources.ts';
import { rehashCodes } from '../../interfaces/verification/rehash-codes.ts';
import type { Loading } from '../../interfaces/worlds/load-snapshot.ts';
import { type Loaded, loadedSettings } from './loaded-settings.ts';

/** Hashes codes with the key of this server, then checks. Returns what is wrong, or null. */
export async function completeLoaded({
  url,
  serverKey,
  patienceMs,
}: Pick<Loading, 'url' | 'serverKey' | 'patienceMs'>) {
  const timeouts = { statement_timeout: patienceMs, lock_timeout: patienceMs, idle_in_transaction_session_timeout: 0 };
  const pool = createPool(url, { max: 2, timeouts });
  try {
    const loaded = { pool, db: createDatabase(pool), serverKey };
    await rehashCodes(loaded);
    return await problemOfLoaded(loaded);
  } finally {
    await pool.end();
  }
}

export async function problemOfLoaded(loaded: Loaded): Promise<string | null> {
  const query = async (text: string, values: readonly unknown[]) => (await loaded.pool.query(text, [...values])).rows;
  for (const resource of resources) {
    if (resource.scope !== 'account') continue;
    const problem = await storedProblem(resource, query);
    if (problem !== null) return problem;
  }
  const refused = await problemOfSettings(loaded);
  if (refused !== null) return refused;
  const offended = (await verifyLedger(loaded.db)).find(({ offences }) => offences.length > 0);
  return offended === undefined ? null : `the ledger does not hold (${offended.name}).`;
}

const rowsAtATime = 200;

async function problemOfSettings(loaded: Loaded): Promise<string | null> {
  for (const { table, columns, check } of loadedSettings) {
    for (let last = '(0,0)'; ; ) {
      const { rows } = await loaded.pool.query(
        `select ctid::text as place, ${columns} from ${table} where ctid > $1::tid order by ctid limit ${rowsAtATime}`,
        [last],
      );
      for (const { place, ...row } of rows) {
        last = place;
        try {
          await check(row as never, loaded);
        } catch (error) {
          if (error instanceof OperatorError) return `${table}: ${error.message}`;
          throw error;
        }
      }
      if (rows.length < rowsAtATime) break;
    }
  }
  return null;
}
