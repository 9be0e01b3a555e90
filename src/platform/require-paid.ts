import { ApiError, errors } from '../jsonapi/errors.ts';
import { formatTrimmed } from '../money/decimal.ts';
import type { ChargeResult } from '../money/ledger.ts';

/** The response to a customer who cannot pay. */
export function requirePaid(result: ChargeResult): void {
  if (result.ok) return;
  throw new ApiError([errors.insufficientBalance(formatTrimmed(result.available), formatTrimmed(result.cost))]);
}
