/**
 * What a verification costs: list prices by destination prefix and method. The quote is made of them at the start
 * (`start_verifications` in src/engines/db/functions/verification). The fee is charged once the number is verified, the
 * message once it is sent (`charge_verification`).
 */
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { parseAmount, toSql } from '../../business/money/decimal.ts';
import type { Environment } from '../../engines/environment.ts';
import type { DeliveryMethod } from './fields.ts';

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
