import { ApiError, type ErrorObject, errors } from '../jsonapi/errors.ts';
import { formatTrimmed } from '../money/decimal.ts';
import type { ChargeResult } from '../money/ledger.ts';

/** The response to a customer who cannot pay. */
export function requirePaid(result: ChargeResult): void {
  if (result.ok) return;
  throw new ApiError([insufficientBalance(formatTrimmed(result.available), formatTrimmed(result.cost))]);
}

export const insufficientBalance = (availableBalance: string, totalCost: string): ErrorObject => ({
  ...errors.refused(400, 'Insufficient balance', 'Insufficient balance'),
  meta: { available_balance: availableBalance, total_cost: totalCost },
});
