/**
 * What a verification costs: list prices by destination prefix and method, the quote made of them at the start, and the
 * charges. The fee is charged once the number is verified, the message once it is sent.
 */
import { type Kysely, sql } from 'kysely';
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { meteredPrice } from '../../business/billing/vat.ts';
import { type Amount, grossOf, parseAmount, type Taxed, toSql } from '../../business/money/decimal.ts';
import { chargeEvenIntoDebt } from '../../business/money/ledger.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import type { DeliveryMethod } from './fields.ts';

export interface Quote {
  fee: Taxed;
  message: Taxed;
}

/** From the list prices without VAT. */
export function quoteOf(feeRate: string, messageRate: string, vatRate: string): Quote {
  return {
    fee: meteredPrice(parseAmount(feeRate), vatRate),
    message: meteredPrice(parseAmount(messageRate), vatRate),
  };
}

/** What an account must have available for a start. */
export const costOf = ({ fee, message }: Quote): Amount => grossOf(fee) + grossOf(message);

/** A quote as its row, to be counted against the balance when the start is written. */
export function quoteRow(start: { id: string; accountId: string; expiresAt: Date }, { fee, message }: Quote): object {
  return {
    verification_id: start.id,
    account_id: start.accountId,
    expires_at: start.expiresAt,
    vat_rate: fee.vatRate,
    fee_net: toSql(fee.net),
    fee_vat: toSql(fee.vat),
    message_net: toSql(message.net),
    message_vat: toSql(message.vat),
    message_charged: false,
  };
}

/**
 * Charges the fee, once, in the transaction that makes a verification verified. The balance covered it at the start,
 * and calls and orders have left it; if a renewal has taken it since then, the fee becomes a debt, because no
 * verification is `verified` without its fee. The next start then gets 402.
 */
export async function chargeFee(trx: Kysely<Schema>, verificationId: string, at: Date): Promise<void> {
  // A right code proves that the message was sent, even if that was not recorded.
  await chargeMessage(trx, verificationId, at);
  const row = await trx
    .selectFrom('verification_quotes')
    .select(['account_id', 'vat_rate', 'fee_net', 'fee_vat'])
    .where('verification_id', '=', verificationId)
    .executeTakeFirst();
  if (row === undefined) return;
  const movement = { accountId: row.account_id, at, cause: 'verification_fee', reference: verificationId } as const;
  await chargeEvenIntoDebt(trx, movement, stored(row.fee_net, row.fee_vat, row.vat_rate));
}

/** Charges the message that was sent, once, whatever becomes of the verification. */
export async function chargeMessage(trx: Kysely<Schema>, verificationId: string, at: Date): Promise<void> {
  const row = await trx
    .updateTable('verification_quotes')
    .set({ message_charged: true })
    .where('verification_id', '=', verificationId)
    .where('message_charged', '=', false)
    .where(sql<boolean>`message_net + message_vat > 0`)
    .returning(['account_id', 'vat_rate', 'message_net', 'message_vat'])
    .executeTakeFirst();
  if (row === undefined) return;
  const movement = { accountId: row.account_id, at, cause: 'verification_message', reference: verificationId } as const;
  await chargeEvenIntoDebt(trx, movement, stored(row.message_net, row.message_vat, row.vat_rate));
}

const stored = (net: string, vat: string, vatRate: string): Taxed => ({
  net: parseAmount(net),
  vat: parseAmount(vat),
  vatRate,
});

/** What a rate is paid for. */
type RateUnit = 'verification' | 'message';

/** A list price without VAT. */
export interface Rate {
  per: RateUnit;
  deliveryMethod: DeliveryMethod;
  prefix: string;
  /** A decimal string; null removes the rate. */
  amount: string | null;
}

export async function setRate(env: Environment, { per, deliveryMethod, prefix, amount }: Rate): Promise<void> {
  if (!/^\d{0,15}$/.test(prefix)) throw new OperatorError('A prefix is digits only, without a leading +.');
  if (amount === null) {
    await env.db
      .deleteFrom('verification_rates')
      .where('per', '=', per)
      .where('delivery_method', '=', deliveryMethod)
      .where('prefix', '=', prefix)
      .execute();
    return;
  }
  if (!isDecimal(amount, { whole: 6 }))
    throw new OperatorError('A rate is a decimal number with at most four decimals.');
  const value = toSql(parseAmount(amount));
  await env.db
    .insertInto('verification_rates')
    .values({ per, delivery_method: deliveryMethod, prefix, amount: value })
    .onConflict((conflict) => conflict.columns(['per', 'delivery_method', 'prefix']).doUpdateSet({ amount: value }))
    .execute();
}

export async function listRates(env: Environment): Promise<(Rate & { amount: string })[]> {
  return env.db
    .selectFrom('verification_rates')
    .select(['per', 'delivery_method as deliveryMethod', 'prefix', 'amount'])
    .orderBy('per', 'desc')
    .orderBy('delivery_method')
    .orderBy('prefix')
    .execute();
}
