/** Charges the fee that was quoted, once, in the transaction that makes a verification verified. */
import type { Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { chargeEvenIntoDebt } from '../money/ledger.ts';

export interface VerifiedRow {
  id: string;
  account_id: string;
  fee: string;
}

/**
 * The balance was enough at the start. Should it be spent since, the fee is owed all the same: the number is verified, and
 * `verified` without its fee must not exist. The next start then meets 402.
 */
export async function settleFee(
  trx: Transaction<Schema>,
  { id, account_id, fee }: VerifiedRow,
  at: Date,
): Promise<void> {
  await chargeEvenIntoDebt(trx, { accountId: account_id, amount: fee, at, cause: 'verification_fee', reference: id });
}
