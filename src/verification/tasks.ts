import type { Tasks } from '../jobs/tasks.ts';
import { dispatchVerification } from './delivery/dispatch.ts';
import { giveUpInDoubt } from './delivery/dispatch-marks.ts';
import { forgetVerifications } from './retention.ts';

export const verificationTasks: Tasks = {
  'verification.dispatch': dispatchVerification,
  'verification.give_up': giveUpInDoubt,
  'verification.forget': forgetVerifications,
};
