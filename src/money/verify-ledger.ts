/** Verifies the ledger: runs every check on one consistent snapshot, without blocking other work. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { type LedgerCheck, ledgerChecks } from './ledger-checks.ts';

export interface CheckResult {
  name: string;
  /** The first violations; empty if the invariant holds. */
  offences: Record<string, unknown>[];
}

const shown = 20;

export function verifyLedger(
  db: Kysely<Schema>,
  checks: readonly LedgerCheck[] = ledgerChecks,
): Promise<CheckResult[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const results: CheckResult[] = [];
      for (const { name, sql: text } of checks) {
        const { rows } = await sql<Record<string, unknown>>`${sql.raw(text)} limit ${sql.raw(String(shown))}`.execute(
          trx,
        );
        results.push({ name, offences: rows });
      }
      return results;
    });
}
