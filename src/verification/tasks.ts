import type { Tasks } from '../jobs/tasks.ts';
import { dispatchVerification } from './delivery/dispatch.ts';
import { forgetVerifications } from './retention.ts';

export const verificationTasks: Tasks = {
  'verification.dispatch': dispatchVerification,
  'verification.forget': forgetVerifications,
};
