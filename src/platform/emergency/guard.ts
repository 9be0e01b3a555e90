import { ApiError, errors } from '../../jsonapi/errors.ts';
import type { PlatformContext } from '../context.ts';

/** Every emergency type is 403 while the operator has emergency calling switched off for the account. */
export function needsEmergencyCalling({ caller }: PlatformContext): void {
  if (caller && !caller.features.emergency) throw new ApiError([errors.forbidden()]);
}
