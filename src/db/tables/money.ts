import type { ColumnType, Generated } from 'kysely';

export type LedgerCause =
  | 'opening_balance'
  | 'top_up'
  | 'adjustment'
  | 'order'
  | 'order_completed'
  | 'order_canceled'
  | 'renewal'
  | 'restoration'
  | 'pool_renewal'
  | 'emergency'
  | 'emergency_renewal'
  | 'refund'
  | 'verification_fee'
  | 'verification_message'
  | 'metered_minutes'
  | 'call_charge';

export type Ledger = 'customer' | 'holds' | 'revenue' | 'vat' | 'refunds' | 'funding';

export interface LedgerTransactionsTable {
  id: Generated<number>;
  account_id: string;
  cause: LedgerCause;
  reference: string;
  occasion: Generated<string>;
  order_id: string | null;
  vat_rate: string | null;
  created_at: ColumnType<Date, Date, never>;
}

export interface LedgerEntriesTable {
  transaction_id: number;
  ledger: Ledger;
  account_id: string;
  amount: string;
}

/** Bookings and orders up to these were taxed by an older rule; one row. */
export interface ExactTaxSinceTable {
  only_row: Generated<boolean>;
  ledger_transaction_id: number;
  order_seq: number;
}
