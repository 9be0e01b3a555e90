/** The books of a production database are kept in one currency: it remembers the one of its first movement. */
import type { Pool } from 'pg';
import { OperatorError } from '../../base/operator-error.ts';
import type { EnvironmentName } from '../../engines/environment.ts';

/** A sandbox's money is play money, which may change its name. */
export async function requireCurrency(name: EnvironmentName, pool: Pool, currency: string): Promise<void> {
  const { rowCount } = await pool.query(
    `update environment_state set currency = $1
     where currency is distinct from $1 and (currency is null or $2 or not exists (select from ledger_transactions))`,
    [currency, name === 'sandbox'],
  );
  if (rowCount === 1) return;
  const { rows } = await pool.query<{ currency: string }>('select currency from environment_state');
  const kept = rows[0]?.currency;
  if (kept === currency) return;
  throw new OperatorError(
    `The books of ${name} are kept in ${kept}; TRUNKLINE_CURRENCY says ${currency}, which would give every amount another meaning.`,
  );
}
