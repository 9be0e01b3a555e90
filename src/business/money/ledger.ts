/**
 * The only code that moves a balance, with its part in the database (`take_money`, `hold_money` and `post_ledger` in
 * src/engines/db/functions/money, which orders use from there). Every movement is one transaction of entries whose sum
 * is zero.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Ledger, LedgerCause } from '../../engines/db/tables/money.ts';
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

/** Charges a price to what the account can spend and books it as revenue; refuses if that is too little. */
export async function charge(trx: Database, movement: Movement, price: Taxed): Promise<ChargeResult> {
  const cost = notNegative(grossOf(price));
  if (cost === 0n) return { ok: true };
  const { accountId, cause, reference, occasion = '', orderId = null, at } = movement;
  const { ledgers, amounts } = entriesOf({ customer: -cost, revenue: price.net, vat: price.vat });
  const { rows } = await sql<{ spendable: string | null }>`
    select take_money(${accountId}::uuid, ${cause}, ${reference}::uuid, ${occasion}, ${orderId}::uuid, ${price.vatRate}::numeric,
      ${at}::timestamptz, ${ledgers}::text[], ${amounts}::numeric[]) as spendable
  `.execute(trx);
  const spendable = rows[0]?.spendable ?? null;
  return spendable === null ? { ok: true } : { ok: false, available: parseAmount(spendable), cost };
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

/**
 * Locks the account's row until the transaction ends. It is the last lock that a workflow takes (after stock, orders,
 * numbers and pools), so that workflows cannot deadlock.
 */
async function lockAccount(trx: Database, id: string): Promise<void> {
  await trx.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

async function post(
  trx: Database,
  movement: Movement,
  amounts: Partial<Record<Ledger, Amount>>,
  vatRate: string | null = null,
): Promise<void> {
  const entries = entriesOf(amounts);
  // A free order moves nothing; do not write a transaction without entries.
  if (entries.ledgers.length === 0) return;
  const { accountId, cause, reference, occasion = '', orderId = null, at } = movement;
  await sql`
    select post_ledger(${accountId}::uuid, ${cause}, ${reference}::uuid, ${occasion}, ${orderId}::uuid, ${vatRate}::numeric,
      ${at}::timestamptz, ${entries.ledgers}::text[], ${entries.amounts}::numeric[])
  `.execute(trx);
}

/** Without what does not move. */
function entriesOf(amounts: Partial<Record<Ledger, Amount>>): { ledgers: string[]; amounts: string[] } {
  const entries = Object.entries(amounts).filter(([, amount]) => amount !== 0n);
  if (entries.reduce((sum, [, amount]) => sum + amount, 0n) !== 0n)
    throw new Error('ledger entries do not sum to zero');
  return { ledgers: entries.map(([ledger]) => ledger), amounts: entries.map(([, amount]) => toSql(amount)) };
}

function notNegative(amount: Amount): Amount {
  if (amount < 0n) throw new Error('an amount to move is never negative');
  return amount;
}
