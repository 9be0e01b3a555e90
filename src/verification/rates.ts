/** What a verified number and a sent message cost, by the prefix of the destination and the method; without VAT. */
import type { Environment } from '../environment.ts';
import { parseAmount, toSql } from '../money/decimal.ts';
import { OperatorError } from '../operator-error.ts';
import type { DeliveryMethod } from './fields.ts';

/** What a rate is paid for. */
export type RateUnit = 'verification' | 'message';

export interface Rate {
  per: RateUnit;
  deliveryMethod: DeliveryMethod;
  prefix: string;
  /** A decimal string; null takes the rate away. */
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
  if (!/^\d{1,6}(\.\d{1,4})?$/.test(amount))
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
