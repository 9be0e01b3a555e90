import { violatedConstraint } from '../../db/transaction.ts';
import { ApiError, invalid, messages } from '../../jsonapi/errors.ts';
import { refusedChannels } from './refused-channels.ts';

/** What the database refuses about a group, as a customer reads it. */
export function refusedGroup(error: unknown): unknown {
  switch (violatedConstraint(error)) {
    case 'shared_capacity_groups_name':
      return new ApiError([invalid.attribute('name', messages.taken)]);
    case 'shared_capacity_groups_not_empty':
      return new ApiError([invalid.attribute('shared_channels_count', messages.shouldBeAtLeast(1))]);
    default:
      return refusedChannels(error, 'shared_channels_count');
  }
}
