import { violatedConstraint } from '../../db/transaction.ts';
import { ApiError, invalid } from '../../jsonapi/errors.ts';

/** The database refuses to assign more channels than a pool has; this is how a customer reads it. */
export function refusedChannels(error: unknown, attribute: string): unknown {
  return violatedConstraint(error) === 'capacity_pools_not_over_assigned'
    ? new ApiError([invalid.attribute(attribute, 'exceeds available channels count')])
    : error;
}
