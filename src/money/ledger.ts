/** The only code that moves a balance. Every movement is one transaction of entries that sum to zero. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Ledger, LedgerCause } from '../db/tables/money.ts';
import { type Amount, parseAmount, toSql } from './decimal.ts';
import { grossOf, type Taxed } from './taxed.ts';

type Database = Kysely<Schema>;

/** Why money moves. The same cause, reference and occasion can move it once only: the database refuses the second. */
export interface Movement {
  accountId: string;
  at: Date;
  cause: LedgerCause;
  /** The id of the order, number, verification … it is about. */
  reference: string;
  /** Tells repeated charges for one thing apart, such as the start of a renewal's period. */
  occasion?: string;
  /** The order that shows it to the customer. */
  orderId?: string;
}

export type ChargeResult = { ok: true } | { ok: false; available: Amount; cost: Amount };

/** Takes a price from balance plus credit, at once into revenue; refuses what the customer cannot pay. */
export async function charge(trx: Database, movement: Movement, price: Taxed): Promise<ChargeResult> {
  const cost = notNegative(grossOf(price));
  const result = await requireSpendable(trx, movement.accountId, cost);
  if (result.ok) await post(trx, movement, { customer: -cost, revenue: price.net, vat: price.vat }, price.vatRate);
  return result;
}

/** Takes what was earned whether or not the balance suffices: for a price agreed while it did. */
export async function chargeEvenIntoDebt(trx: Database, movement: Movement, price: Taxed): Promise<void> {
  const cost = notNegative(grossOf(price));
  if (cost > 0n) await lockAccount(trx, movement.accountId);
  await post(trx, movement, { customer: -cost, revenue: price.net, vat: price.vat }, price.vatRate);
}

/** Takes an amount from balance plus credit and keeps it aside until it is earned or given back. */
export async function hold(trx: Database, movement: Movement, amount: Amount): Promise<ChargeResult> {
  const result = await requireSpendable(trx, movement.accountId, notNegative(amount));
  if (result.ok) await post(trx, movement, { customer: -amount, holds: amount });
  return result;
}

/** Ends a hold, or a part of it: what was earned goes into revenue, the rest back to the customer. */
export async function settleHold(
  trx: Database,
  movement: Movement,
  { earned, released = 0n }: { earned: Taxed; released?: Amount },
): Promise<void> {
  const kept = notNegative(grossOf(earned));
  notNegative(released);
  const entries = { holds: -kept - released, customer: released, revenue: earned.net, vat: earned.vat };
  await post(trx, movement, entries, earned.vatRate);
}

/** Gives back what was already earned. */
export async function refund(trx: Database, movement: Movement, price: Taxed): Promise<void> {
  const amount = notNegative(grossOf(price));
  await post(trx, movement, { customer: amount, refunds: -price.net, vat: -price.vat }, price.vatRate);
}

/** Money that came from outside: a payment, an opening balance, an operator's correction (which may be negative). */
export async function fund(trx: Database, movement: Movement, amount: Amount): Promise<void> {
  if (amount < 0n && movement.cause !== 'adjustment') throw new Error('only an adjustment may take money away');
  await post(trx, movement, { customer: amount, funding: -amount });
}

/** Whether the customer could pay this now. Locks nothing, so it decides nothing: a charge or hold has to follow. */
export async function couldPay(db: Database, accountId: string, cost: Amount): Promise<ChargeResult> {
  const { balance, credit } = await accountOf(db, accountId).executeTakeFirstOrThrow();
  return compare(parseAmount(balance) + parseAmount(credit), cost);
}

async function requireSpendable(trx: Database, accountId: string, cost: Amount): Promise<ChargeResult> {
  return cost === 0n ? { ok: true } : compare(await lockAccount(trx, accountId), cost);
}

const compare = (available: Amount, cost: Amount): ChargeResult =>
  available < cost ? { ok: false, available, cost } : { ok: true };

/**
 * Locks the account's row until the caller's transaction ends, so that parallel orders can never overdraw together, and returns
 * what it can spend. It is the last lock a workflow takes (after stock, orders, numbers and pools), which is why two
 * never wait in a circle.
 */
async function lockAccount(trx: Database, accountId: string): Promise<Amount> {
  const { balance, credit } = await accountOf(trx, accountId).forNoKeyUpdate().executeTakeFirstOrThrow();
  return parseAmount(balance) + parseAmount(credit);
}

const accountOf = (db: Database, id: string) =>
  db.selectFrom('accounts').select(['balance', 'credit']).where('id', '=', id);

async function post(
  trx: Database,
  movement: Movement,
  amounts: Partial<Record<Ledger, Amount>>,
  vatRate: string | null = null,
): Promise<void> {
  const entries = Object.entries(amounts).filter(([, amount]) => amount !== 0n);
  if (entries.reduce((sum, [, amount]) => sum + amount, 0n) !== 0n)
    throw new Error('ledger entries do not sum to zero');
  // A free order moves nothing, and a transaction without entries would say nothing.
  if (entries.length === 0) return;
  await sql`
    with opened as (
      insert into ledger_transactions (account_id, cause, reference, occasion, order_id, vat_rate, created_at)
      values (${movement.accountId}, ${movement.cause}, ${movement.reference}, ${movement.occasion ?? ''},
              ${movement.orderId ?? null}, ${vatRate}, ${movement.at})
      returning id
    )
    insert into ledger_entries (transaction_id, ledger, account_id, amount)
    select opened.id, e.ledger, ${movement.accountId}, e.amount
    from opened, unnest(${entries.map(([ledger]) => ledger)}::text[],
                        ${entries.map(([, amount]) => toSql(amount))}::numeric[]) as e (ledger, amount)
  `.execute(trx);
}

function notNegative(amount: Amount): Amount {
  if (amount < 0n) throw new Error('an amount to move is never negative');
  return amount;
}
