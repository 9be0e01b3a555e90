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
  created_at: ColumnType<Date, Date, never>;
}

export interface LedgerEntriesTable {
  transaction_id: number;
  ledger: Ledger;
  account_id: string;
  amount: string;
}
