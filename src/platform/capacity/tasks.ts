import type { Tasks } from '../../jobs/tasks.ts';
import { renewPool } from './renew-pool.ts';

export const capacityTasks: Tasks = { 'capacity.renew': renewPool };
