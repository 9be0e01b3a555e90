/** The jobs of verifications. */
import { defineTask } from '../jobs/task.ts';

type OfVerification = { verification_id: string };

/** What the sandbox dispatches goes no further than its inbox. */
export const dispatchTask = defineTask<OfVerification>('verification.dispatch', {
  priority: 'codes',
  outward: 'production',
});
export const giveUpTask = defineTask<OfVerification>('verification.give_up', { priority: 'codes' });
export const forgetVerificationsTask = defineTask('verification.forget', { priority: 'background' });
