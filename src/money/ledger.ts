/**
 * The only code that moves a balance, with its part in the database (`post_ledger` and `hold_money` in src/db/functions/money, which
 * orders use from there). Every movement is one transaction of entries whose sum is zero.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Ledger, LedgerCause } from '../db/tables/money.ts';
import { type Amount, grossOf, parseAmount, type Taxed, toSql } from './decimal.ts';

type Database = Kysely<Schema>;

/** Why money moves. The database allows only one movement with the same cause, reference and occasion. */
export interface Movement {
  accountId: string;
  at: Date;
  cause: LedgerCause;
  /** The id of the order, number or verification that is charged or refunded. */
  reference: string;
  /** Distinguishes repeated charges for one reference, such as the start of a renewal's period. */
  occasion?: string;
  /** The order that shows the movement to the customer. */
  orderId?: string;
}

export type ChargeResult = { ok: true } | { ok: false; available: Amount; cost: Amount };

/** Charges a price to balance plus credit and books it as revenue; refuses if the customer cannot pay. */
export async function charge(trx: Database, movement: Movement, price: Taxed): Promise<ChargeResult> {
  const cost = notNegative(grossOf(price));
  const result = await requireSpendable(trx, movement.accountId, cost);
  if (result.ok) await post(trx, movement, { customer: -cost, revenue: price.net, vat: price.vat }, price.vatRate);
  return result;
}

/** Charges even if the balance does not suffice: for a service that was used while it did. */
export async function chargeEvenIntoDebt(trx: Database, movement: Movement, price: Taxed): Promise<void> {
  const cost = notNegative(grossOf(price));
  if (cost > 0n) await lockAccount(trx, movement.accountId);
  await post(trx, movement, { customer: -cost, revenue: price.net, vat: price.vat }, price.vatRate);
}

/** Ends a hold, or a part of it: the earned part becomes revenue, the rest returns to the customer. */
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

/** Refunds what was already booked as revenue. */
export async function refund(trx: Database, movement: Movement, price: Taxed): Promise<void> {
  const amount = notNegative(grossOf(price));
  await post(trx, movement, { customer: amount, refunds: -price.net, vat: -price.vat }, price.vatRate);
}

/** Books money from outside: a payment, an opening balance, or an operator's correction (which may be negative). */
export async function fund(trx: Database, movement: Movement, amount: Amount): Promise<void> {
  if (amount < 0n && movement.cause !== 'adjustment') throw new Error('only an adjustment may take money away');
  await post(trx, movement, { customer: amount, funding: -amount });
}

async function requireSpendable(trx: Database, accountId: string, cost: Amount): Promise<ChargeResult> {
  return cost === 0n ? { ok: true } : compare(await lockAccount(trx, accountId), cost);
}

const compare = (available: Amount, cost: Amount): ChargeResult =>
  available < cost ? { ok: false, available, cost } : { ok: true };

/**
 * Locks the account's row until the transaction ends, so that parallel orders cannot overdraw it, and returns what it
 * can spend: not what calls in progress hold. It is the last lock that a workflow takes (after stock, orders, numbers and pools), so that workflows
 * cannot deadlock.
 */
async function lockAccount(trx: Database, accountId: string): Promise<Amount> {
  const { balance, credit, held } = await accountOf(trx, accountId).forNoKeyUpdate().executeTakeFirstOrThrow();
  return parseAmount(balance) + parseAmount(credit) - parseAmount(held);
}

const accountOf = (db: Database, id: string) =>
  db.selectFrom('accounts').select(['balance', 'credit', 'held']).where('id', '=', id);

async function post(
  trx: Database,
  movement: Movement,
  amounts: Partial<Record<Ledger, Amount>>,
  vatRate: string | null = null,
): Promise<void> {
  const entries = Object.entries(amounts).filter(([, amount]) => amount !== 0n);
  if (entries.reduce((sum, [, amount]) => sum + amount, 0n) !== 0n)
    throw new Error('ledger entries do not sum to zero');
  // A free order moves nothing; do not write a transaction without entries.
  if (entries.length === 0) return;
  const { accountId, cause, reference, occasion = '', orderId = null, at } = movement;
  await sql`
    select post_ledger(${accountId}::uuid, ${cause}, ${reference}::uuid, ${occasion}, ${orderId}::uuid, ${vatRate}::numeric,
      ${at}::timestamptz, ${entries.map(([ledger]) => ledger)}::text[],
      ${entries.map(([, amount]) => toSql(amount))}::numeric[])
  `.execute(trx);
}

function notNegative(amount: Amount): Amount {
  if (amount < 0n) throw new Error('an amount to move is never negative');
  return amount;
}
