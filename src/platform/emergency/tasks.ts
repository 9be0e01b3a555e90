import type { Tasks } from '../../jobs/tasks.ts';
import { cancelEmptyService } from './cancel-service.ts';
import { renewService } from './renew-service.ts';

export const emergencyTasks: Tasks = {
  'emergency.renew': renewService,
  'emergency.cancel-empty': cancelEmptyService,
};
