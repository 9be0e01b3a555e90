/** Decides a submission of an account whose submissions are decided automatically. */
import { handle } from '../../jobs/handler.ts';
import { decideAddressVerification } from '../regulation/decide-address-verification.ts';
import type { Decision } from '../regulation/decision.ts';
import { autoDecideTask } from '../regulation/tasks.ts';
import { decideEmergencyVerification } from './decide-emergency-verification.ts';

export const autoDecide = handle(autoDecideTask, async ({ type, id, action }, { env }) => {
  const decision: Decision =
    action === 'approve' ? { action } : { action: 'reject', reasons: ['Rejected automatically'], comment: null };
  const review = { id, decision, actor: 'system' };
  if (type === 'emergency_verifications') await decideEmergencyVerification(env, review);
  else await decideAddressVerification(env, review);
});
