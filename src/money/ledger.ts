/** The only code that moves a balance. Every movement is one transaction of entries that sum to zero. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Ledger, LedgerCause } from '../db/tables/money.ts';
import { type Amount, formatTrimmed, parseAmount, toSql } from './decimal.ts';
import { vatWithin } from './prices.ts';

type Database = Kysely<Schema>;

/** Why money moves. The same cause, reference and occasion can move it once only: the database refuses the second. */
export interface Cause {
  cause: LedgerCause;
  /** The id of the order, number, verification … it is about. */
  reference: string;
  /** Tells repeated charges for one thing apart, such as the start of a renewal's period. */
  occasion?: string;
  /** The order that shows it to the customer. */
  orderId?: string;
}

export interface Movement extends Cause {
  accountId: string;
  /** A decimal string, VAT included, never negative. */
  amount: string;
  at: Date;
}

export type ChargeResult =
  | { ok: true }
  | { ok: false; reason: 'insufficient'; available_balance: string; total_cost: string };

/** Takes an amount from balance plus credit, at once into revenue; refuses what the customer cannot pay. */
export function charge(trx: Database, movement: Movement): Promise<ChargeResult> {
  return debit(trx, movement, 'revenue');
}

/** Takes what was earned whether or not the balance suffices: for a price agreed while it did. */
export async function chargeEvenIntoDebt(trx: Database, movement: Movement): Promise<void> {
  const amount = readAmount(movement.amount);
  if (amount === 0n) return;
  const vat = vatWithin(amount, (await accountTerms(trx, movement.accountId)).vatRate);
  await post(trx, movement, { customer: -amount, revenue: amount - vat, vat });
}

/** Takes an amount from balance plus credit and keeps it aside until it is earned or given back. */
export function hold(trx: Database, movement: Movement): Promise<ChargeResult> {
  return debit(trx, movement, 'holds');
}

/** What was kept aside is earned. */
export async function earnHold(trx: Database, movement: Movement): Promise<void> {
  const amount = readAmount(movement.amount);
  // The balance does not move, so nobody has to wait for the account's row.
  const { vat_rate } = await trx
    .selectFrom('accounts')
    .select('vat_rate')
    .where('id', '=', movement.accountId)
    .executeTakeFirstOrThrow();
  const vat = vatWithin(amount, vat_rate);
  await post(trx, movement, { holds: -amount, revenue: amount - vat, vat });
}

/** What was kept aside goes back to the customer. */
export async function releaseHold(trx: Database, movement: Movement): Promise<void> {
  const amount = readAmount(movement.amount);
  await post(trx, movement, { holds: -amount, customer: amount });
}

/** Gives back what was already earned. */
export async function refund(trx: Database, movement: Movement): Promise<void> {
  const amount = readAmount(movement.amount);
  const vat = vatWithin(amount, (await accountTerms(trx, movement.accountId)).vatRate);
  await post(trx, movement, { customer: amount, refunds: vat - amount, vat: -vat });
}

/** Money that came from outside: a payment, an opening balance, an operator's correction (which may be negative). */
export async function fund(trx: Database, movement: Movement): Promise<void> {
  const amount = parseAmount(movement.amount);
  if (amount < 0n && movement.cause !== 'adjustment') throw new Error('only an adjustment may take money away');
  await post(trx, movement, { customer: amount, funding: -amount });
}

async function debit(trx: Database, movement: Movement, into: 'revenue' | 'holds'): Promise<ChargeResult> {
  const amount = readAmount(movement.amount);
  if (amount === 0n) return { ok: true };
  const { spendable, vatRate } = await accountTerms(trx, movement.accountId);
  if (spendable < amount) {
    return {
      ok: false,
      reason: 'insufficient',
      available_balance: formatTrimmed(spendable),
      total_cost: formatTrimmed(amount),
    };
  }
  const vat = into === 'revenue' ? vatWithin(amount, vatRate) : 0n;
  await post(trx, movement, { customer: -amount, [into]: amount - vat, vat });
  return { ok: true };
}

/**
 * Locks the account's row until the caller's transaction ends, so that parallel orders can never overdraw together.
 * It is the last lock a workflow takes (after stock, orders, numbers and pools), which is why two never wait in a circle.
 */
async function accountTerms(trx: Database, accountId: string): Promise<{ spendable: Amount; vatRate: string }> {
  const account = await trx
    .selectFrom('accounts')
    .select(['balance', 'credit', 'vat_rate'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return { spendable: parseAmount(account.balance) + parseAmount(account.credit), vatRate: account.vat_rate };
}

async function post(trx: Database, movement: Movement, amounts: Partial<Record<Ledger, Amount>>): Promise<void> {
  const entries = Object.entries(amounts).filter(([, amount]) => amount !== 0n);
  if (entries.reduce((sum, [, amount]) => sum + amount, 0n) !== 0n)
    throw new Error('ledger entries do not sum to zero');
  // A free order moves nothing, and a transaction without entries would say nothing.
  if (entries.length === 0) return;
  await sql`
    with opened as (
      insert into ledger_transactions (account_id, cause, reference, occasion, order_id, created_at)
      values (${movement.accountId}, ${movement.cause}, ${movement.reference}, ${movement.occasion ?? ''},
              ${movement.orderId ?? null}, ${movement.at})
      returning id
    )
    insert into ledger_entries (transaction_id, ledger, account_id, amount)
    select opened.id, e.ledger, ${movement.accountId}, e.amount
    from opened, unnest(${entries.map(([ledger]) => ledger)}::text[],
                        ${entries.map(([, amount]) => toSql(amount))}::numeric[]) as e (ledger, amount)
  `.execute(trx);
}

function readAmount(text: string): Amount {
  const amount = parseAmount(text);
  if (amount < 0n) throw new Error('an amount to move is never negative');
  return amount;
}
