/** Errors that several groups return. */
import { ConfirmationNeeded } from '../../business/accounts/confirmed-acts.ts';
import { TooManyFailures } from '../../business/accounts/failed-authentication.ts';
import { type Feature, featureTexts } from '../../business/accounts/features-and-limits.ts';
import { RoleForbids } from '../../business/accounts/member-roles.ts';
import { formatTrimmed } from '../../business/money/decimal.ts';
import type { ChargeResult } from '../../business/money/ledger.ts';
import { ApiError, type ErrorObject, errors } from '../../engines/jsonapi/errors.ts';

/** 400 for a customer who cannot pay. */
export function requirePaid(result: ChargeResult): void {
  if (result.ok) return;
  throw new ApiError([insufficientBalance(formatTrimmed(result.available), formatTrimmed(result.cost))]);
}

export const insufficientBalance = (availableBalance: string, totalCost: string): ErrorObject => ({
  ...errors.refused(400, 'Insufficient balance', 'Insufficient balance'),
  meta: { available_balance: availableBalance, total_cost: totalCost },
});

/** 403 for an account without the feature. */
export const featureMissing = (feature: Feature): ErrorObject =>
  errors.forbidden(`The feature ${feature} is not enabled for this account: ${featureTexts[feature]}.`);

/** 429, with the seconds to wait. */
export const tooManyRequests = (seconds: number): ApiError =>
  new ApiError([errors.tooManyRequests()], { 'retry-after': String(seconds) });

/** Turns what authentication throws into errors of the interface. */
export function refuseCaller(error: unknown): never {
  if (error instanceof ConfirmationNeeded) throw new ApiError([confirmationNeeded(error)]);
  if (error instanceof RoleForbids) throw new ApiError([errors.forbidden(error.message)]);
  throw error instanceof TooManyFailures ? tooManyRequests(error.retryAfterSeconds) : error;
}

/** `meta` tells the panel to ask the person for a proof, and then to send the request again. */
const confirmationNeeded = ({ message }: ConfirmationNeeded): ErrorObject => ({
  ...errors.refused(403, 'Confirmation needed', message),
  meta: { needed: 'confirmation' },
});

/** The database refuses to assign more channels than a pool has (`capacity_pools_not_over_assigned`). */
export const notEnoughChannels = 'exceeds available channels count';
