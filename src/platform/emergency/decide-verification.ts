/** Decides a submission of either type: called by the command line, the sandbox and the job for automatic decisions. */
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { decideAddressVerification } from '../regulation/decide-address-verification.ts';
import type { Decision, Review, ReviewedType, ReviewOutcome } from '../regulation/decision.ts';
import { autoDecideTask } from '../regulation/tasks.ts';
import { decideEmergencyVerification } from './decide-emergency-verification.ts';

export const decideVerification = (env: Environment, type: ReviewedType, review: Review): Promise<ReviewOutcome> =>
  type === 'emergency_verifications'
    ? decideEmergencyVerification(env, review)
    : decideAddressVerification(env, review);

export const autoDecide = handle(autoDecideTask, async ({ type, id, action }, { env }) => {
  const decision: Decision =
    action === 'approve' ? { action } : { action: 'reject', reasons: ['Rejected automatically'], comment: null };
  await decideVerification(env, type, { id, decision, actor: 'system' });
});
